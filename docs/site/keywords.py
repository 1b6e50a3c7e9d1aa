"""The table of the environments' keywords."""

from parlour.envs.core.environments.keywords import KEYWORDS, shown


def keyword_table() -> str:
    """Return the table of the documentation, as Markdown."""
    rows = ["| keyword | default | values | what it does | in |", "|---|---|---|---|---|"]
    for one in KEYWORDS:
        default, *others = {f"`{shown(default)}`" for default in one.defaults.values()}
        if others:
            each = (f"`{shown(value)}` in {view}" for view, value in one.defaults.items())
            default = ", ".join(each)
        where = ", ".join(one.defaults)
        rows.append(f"| `{one.name}` | {default} | {one.values} | {one.meaning} | {where} |")
    return "\n".join(rows)
