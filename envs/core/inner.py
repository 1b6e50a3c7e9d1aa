"""Compile functions that only compiled code calls to LLVM's code, without machine code.

By default Numba makes machine code and a Python wrapper for every function and for all that it
calls, though most rules are only called by loops. Here only the function that Python calls becomes
machine code, in one module with all the others, where LLVM inlines them.
"""

import gc
import importlib
import sys
from collections.abc import Callable
from functools import cache, partial
from importlib.util import find_spec
from typing import Any

import llvmlite.binding as llvm
import numba
from numba.core import types
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, CompileResult, DefaultPassBuilder
from numba.core.compiler_machinery import register_pass
from numba.core.errors import TypingError
from numba.core.typed_passes import NativeLowering

from . import progress

KIND = "inner"


class InnerLibrary(JITCodeLibrary):
    """A function with all that it calls, to be linked into its callers."""

    def finalize(self) -> None:
        """Gather the code; the library that links it optimizes it."""
        self._raise_if_finalized()
        for library in dict.fromkeys(self._linking_libraries):
            self._reload_init.update(library._reload_init)
            self._final_module.link_in(library._get_module_for_linking(), preserve=True)
        self._finalize_dynamic_globals()
        self._finalized = True

    def serialize_using_object_code(self) -> tuple[str, str, bytes]:
        """Return what a file keeps: bitcode, because there is no machine code."""
        self._ensure_finalized()
        return (self.name, KIND, self._final_module.as_bitcode())


@register_pass(mutates_CFG=True, analysis_only=False)
class InnerLowering(NativeLowering):
    """Numba's pass, without the steps that only a call from Python needs."""

    _name = "inner_lowering"

    def run_pass(self, state: Any) -> bool:
        """Leave the function in an InnerLibrary."""
        context = state.targetctx
        state.library = InnerLibrary(context.codegen(), state.func_id.func_qualname)
        state.flags.no_compile = True
        super().run_pass(state)
        state.library._ensure_finalized()
        lowered = state["cr"]
        stands_for_it = _register(context, state.library, lowered.fndesc)
        state["cr"] = lowered._replace(cfunc=stands_for_it)
        state.reload_init.extend(state.library._reload_init)
        return True


def _register(context: Any, library: InnerLibrary, fndesc: Any) -> object:
    """Register the function for compiled callers; return its key, in place of an address."""
    stands_for_it = object()
    context.insert_user_function(stands_for_it, fndesc, [library])
    return stands_for_it


class InnerCompiler(CompilerBase):
    """Numba's passes with InnerLowering in place of its own."""

    def define_pipelines(self) -> list[Any]:
        """Return one pipeline, as Numba's own compiler does."""
        manager = DefaultPassBuilder.define_nopython_pipeline(self.state)
        manager.passes = [
            (InnerLowering if one is NativeLowering else one, text) for one, text in manager.passes
        ]
        manager._finalized = False
        manager.finalize()
        return [manager]


def call_inside(dispatcher: Any, options: dict[str, Any], modules: frozenset[str]) -> Any:
    """Let compiled callers of a dispatcher use inner code; return its dispatcher."""
    function = dispatcher.py_func
    inner = numba.njit(pipeline_class=InnerCompiler, no_cpython_wrapper=True, **options)(function)
    inner.add_overload = partial(_add_inner, inner)
    dispatcher.add_overload = partial(_add_outer, dispatcher)
    dispatcher.compile = partial(_compile_outer, dispatcher, modules)
    dispatcher.get_call_template = partial(_call_template, inner)
    dispatcher.get_overload = inner.get_overload
    dispatcher._compiling_counter = inner._compiling_counter  # for recursion
    inner._compiler.compile = partial(_counted, inner._compiler.compile, modules)
    dispatcher._compiler.compile = partial(_counted, dispatcher._compiler.compile, modules)
    progress.announce(modules)
    return inner


def _compile_outer(dispatcher: Any, modules: frozenset[str], signature: Any) -> Any:
    """Compile or load as Numba does, without garbage collection meanwhile."""
    progress.started(modules)
    is_collecting = gc.isenabled()
    gc.disable()
    try:
        return type(dispatcher).compile(dispatcher, signature)
    finally:
        if is_collecting:
            gc.enable()


def _counted(compile: Callable[..., Any], modules: frozenset[str], *arguments: Any) -> Any:
    _prepare()
    result = compile(*arguments)
    progress.finished(modules)
    return result


@cache
def _prepare() -> None:
    """Load what Numba compiles with, except SciPy, which Numba imports only as a check."""
    if find_spec("scipy") is None or "numba.np.arraymath" in sys.modules:
        return
    linalg: Any = importlib.import_module("numba.np.linalg")
    arraymath: Any
    ask = linalg.ensure_blas
    linalg.ensure_blas = lambda: None
    try:
        arraymath = importlib.import_module("numba.np.arraymath")
        arraymath.ensure_blas = ask
    finally:
        linalg.ensure_blas = ask


def _call_template(inner: Any, args: tuple[Any, ...], kws: dict[str, Any]) -> Any:
    """Return the template for these types: one function for signed integers of all sizes.

    LLVM finds constant values again where it inlines the function.
    """
    try:
        return inner.get_call_template(tuple(map(_widened, args)), kws)
    except TypingError:  # it needs a constant when compiled
        return inner.get_call_template(args, kws)


def _widened(argument: Any) -> Any:
    plain = types.unliteral(argument)  # type: ignore[attr-defined]
    return types.int64 if getattr(plain, "signed", False) else plain


def _add_inner(dispatcher: Any, result: CompileResult) -> None:
    dispatcher.overloads[tuple(result.signature.args)] = result


def _add_outer(dispatcher: Any, result: CompileResult) -> None:
    """Prepare the environments of inner functions, as Numba does for those with machine code."""
    for environment in result._find_referenced_environments():
        result.library.codegen.set_env(environment.env_name, environment)
    type(dispatcher).add_overload(dispatcher, result)


def rebuild(context: Any, reduced: tuple[Any, ...]) -> CompileResult:
    """Rebuild a function in an InnerLibrary from the result of CompileResult._reduce."""
    (name, _, bitcode), fndesc, env, signature, _, lifted, _, reload_init, environments = reduced
    for initialize in reload_init:
        initialize()
    library = InnerLibrary(context.codegen(), name)
    library._final_module = llvm.parse_bitcode(bitcode)
    library._finalized = True
    return CompileResult(
        typing_context=context.typing_context,
        target_context=context,
        entry_point=_register(context, library, fndesc),
        typing_error=None,
        type_annotation="",
        signature=signature,
        objectmode=False,
        lifted=lifted,
        fndesc=fndesc,
        library=library,
        call_helper=None,
        environment=env,
        metadata=None,
        reload_init=reload_init,
        referenced_envs=environments,
    )
