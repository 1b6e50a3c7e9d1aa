"""The import path of `views/transcript.py` in earlier versions, which keeps working."""

from .views.transcript import (
    Ply as Ply,
)
from .views.transcript import (
    Transcript as Transcript,
)
from .views.transcript import (
    TranscriptError as TranscriptError,
)
from .views.transcript import (
    from_text as from_text,
)
from .views.transcript import (
    is_name as is_name,
)
from .views.transcript import (
    load as load,
)
from .views.transcript import (
    name_starts as name_starts,
)
from .views.transcript import (
    record as record,
)
from .views.transcript import (
    replay as replay,
)
from .views.transcript import (
    save as save,
)
from .views.transcript import (
    split_names as split_names,
)
from .views.transcript import (
    to_text as to_text,
)
from .views.transcript import (
    verify as verify,
)
