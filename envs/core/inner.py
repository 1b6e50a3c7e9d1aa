"""Compile functions that only compiled code calls to LLVM's code, without machine code.

By default Numba makes machine code and a Python wrapper for every function and for all that it
calls, though most rules are only called by loops. Here only the function that Python calls becomes
machine code, in one module with all the others, where LLVM inlines them.
"""

import gc
import importlib
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from functools import cache, partial
from importlib.util import find_spec
from types import CodeType
from typing import Any

import llvmlite.binding as llvm
import numba
from numba.core import errors, types
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, CompileResult, DefaultPassBuilder
from numba.core.compiler_lock import global_compiler_lock
from numba.core.compiler_machinery import PassManager, register_pass
from numba.core.errors import TypingError
from numba.core.postproc import PostProcessor
from numba.core.typed_passes import (
    AnnotateTypes,
    InlineOverloads,
    IRLegalization,
    NativeLowering,
    NopythonRewrites,
    PreLowerStripPhis,
)
from numba.core.typing.templates import _IntrinsicTemplate
from numba.core.untyped_passes import (
    GenericRewrites,
    InlineClosureLikes,
    ReconstructSSA,
    WithLifting,
)

from . import progress
from .folding import FoldingLower

KIND = "inner"
_FOLLOWED_BY_LIFETIMES = (GenericRewrites, ReconstructSSA, PreLowerStripPhis)


class Library(JITCodeLibrary):
    """A function whose code LLVM makes shorter at first, and fast only in one module with the rest.

    Numba runs all of LLVM's passes on each function by itself as well, which gains nothing.
    """

    def _optimize_functions(self, module: Any) -> None:
        module.data_layout = self._codegen._data_layout
        passes, builder = _shortening(self._codegen)
        for function in module.functions:
            if not function.is_declaration:
                passes.run(function, builder)


@cache
def _shortening(codegen: Any) -> tuple[Any, Any]:
    """Return the passes after which LLVM can tell whether a function is short enough to inline."""
    passes = llvm.create_new_function_pass_manager()
    passes.add_sroa_pass()
    passes.add_simplify_cfg_pass()
    _, builder = codegen._function_pass_manager()
    return passes, builder


class InnerLibrary(Library):
    """A function with all that it calls, to be linked into its callers."""

    def finalize(self) -> None:
        """Gather the code; the library that links it optimizes it."""
        self._raise_if_finalized()
        for library in dict.fromkeys(self._linking_libraries):
            self._reload_init.update(library._reload_init)
            self._final_module.link_in(library._get_module_for_linking(), preserve=True)
        for function in self._final_module.functions:
            if not function.is_declaration and function.linkage == llvm.Linkage.external:
                function.linkage = llvm.Linkage.linkonce_odr  # or Numba copies all to change it
        self._finalize_dynamic_globals()
        self._finalized = True

    def serialize_using_object_code(self) -> tuple[str, str, bytes]:
        """Return what a file keeps: bitcode, because there is no machine code."""
        self._ensure_finalized()
        return (self.name, KIND, self._final_module.as_bitcode())


class OuterLibrary(Library):
    """A function that Python calls, with all that it calls, to become machine code."""

    is_flat = False  # whether all that it calls becomes a part of it, `apart` functions excepted
    counts_references = True  # to arrays

    def _optimize_final_module(self) -> None:
        """Let LLVM drop what it has inlined, since nothing outside calls it.

        Where no references are counted, only the second of Numba's two sets of passes is needed.
        """
        for function in self._final_module.functions:
            if not function.is_declaration and function.linkage == llvm.Linkage.linkonce_odr:
                function.linkage = llvm.Linkage.internal
                if self.is_flat and not _is_apart(function):
                    function.add_function_attribute("alwaysinline")
        if self.counts_references:
            super()._optimize_final_module()
        else:
            passes, builder = self._codegen._module_pass_manager()
            passes.run(self._final_module, builder)


class FlatLibrary(OuterLibrary):
    """The same, as one function."""

    is_flat = True


def _is_apart(function: Any) -> bool:
    return any(b"noinline" in attributes for attributes in function.attributes)


def _check_arrays(state: Any) -> None:
    """Raise TypingError where a function without reference counting would lose an array."""
    if state.flags.nrt:
        return
    for expression, signature in state.calltypes.items():
        if getattr(expression, "op", None) != "call" or not _holds_array(signature.return_type):
            continue
        callee = state.typemap[expression.func.name]
        if not _gives_views(callee):
            raise TypingError(
                f"{state.func_id.func_qualname} gets an array of its own from {callee}: "
                "declare it as array_rule",
                expression.loc,
            )


def _gives_views(callee: Any) -> bool:
    """Return whether it returns views; an intrinsic that makes an array fails by itself."""
    if isinstance(callee, types.BoundFunction):
        return callee.key[0] in ("array.reshape", "array.view")
    if isinstance(callee, types.Dispatcher):
        return not callee.dispatcher.targetoptions.get("_nrt", True)
    return all(
        issubclass(one, _IntrinsicTemplate) for one in getattr(callee, "templates", [object])
    )


def _holds_array(kind: Any) -> bool:
    parts = kind.types if isinstance(kind, types.BaseTuple) else [kind]  # type: ignore[attr-defined]
    return any(isinstance(part, types.Array) for part in parts)


@register_pass(mutates_CFG=True, analysis_only=False)
class OuterLowering(NativeLowering):
    """Numba's pass, after a check, with short code."""

    _name = "outer_lowering"
    lowering_class = FoldingLower
    library: type[OuterLibrary] = OuterLibrary

    def run_pass(self, state: Any) -> bool:
        """Make machine code."""
        _check_arrays(state)
        state.library = self.library(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.counts_references = bool(state.flags.nrt)
        state.library.enable_object_caching()
        return bool(super().run_pass(state))


@register_pass(mutates_CFG=True, analysis_only=False)
class FlatLowering(OuterLowering):
    """OuterLowering for a loop that becomes one function."""

    _name = "flat_lowering"
    library = FlatLibrary


@register_pass(mutates_CFG=True, analysis_only=False)
class InnerLowering(NativeLowering):
    """Numba's pass, without the steps that only a call from Python needs."""

    _name = "inner_lowering"
    lowering_class = FoldingLower
    is_inline = False

    def run_pass(self, state: Any) -> bool:
        """Leave the function in an InnerLibrary."""
        _check_arrays(state)
        context = state.targetctx
        state.library = InnerLibrary(context.codegen(), state.func_id.func_qualname)
        state.flags.no_compile = True
        state.flags.forceinline = self.is_inline  # not that of the caller which comes first
        super().run_pass(state)
        state.library._ensure_finalized()
        lowered = state["cr"]
        stands_for_it = _register(context, state.library, lowered.fndesc)
        state["cr"] = lowered._replace(cfunc=stands_for_it)
        state.reload_init.extend(state.library._reload_init)
        return True


@register_pass(mutates_CFG=True, analysis_only=False)
class InlineLowering(InnerLowering):
    """InnerLowering for a function that becomes a part of its callers."""

    _name = "inline_lowering"
    is_inline = True


@register_pass(mutates_CFG=True, analysis_only=False)
class ApartLowering(InnerLowering):
    """InnerLowering for a function that its callers call rarely."""

    _name = "apart_lowering"

    def run_pass(self, state: Any) -> bool:
        """Leave the function in an InnerLibrary, marked for LLVM."""
        super().run_pass(state)
        function = state.library.get_function(state["cr"].fndesc.llvm_func_name)
        for attribute in ("noinline", "cold"):
            function.add_function_attribute(attribute)
        return True


def _register(context: Any, library: InnerLibrary, fndesc: Any) -> object:
    """Register the function for compiled callers; return its key, in place of an address."""
    stands_for_it = object()
    context.insert_user_function(stands_for_it, fndesc, [library])
    return stands_for_it


class _Passes(PassManager):
    """Numba's passes, without the analysis and the record after each, which take longer than most.

    Left out are the annotation for people and what only closures and `with` need, which rules do
    not have. Where no arrays are made, nothing rewrites expressions with whole arrays, and nobody
    asks how long variables live.
    """

    def __init__(
        self, numbas: PassManager, has_closures: bool, makes_arrays: bool, lowering: type
    ) -> None:
        super().__init__(numbas.pipeline_name)
        left_out = {AnnotateTypes}
        left_out |= set() if has_closures else {InlineClosureLikes, WithLifting}
        left_out |= set() if makes_arrays else {NopythonRewrites, InlineOverloads, IRLegalization}
        self._tracks_lifetimes = makes_arrays
        self.passes = [
            (lowering if one is NativeLowering else one, text)
            for one, text in numbas.passes
            if one not in left_out
        ]
        self.finalize()

    def _runPass(self, index: int, one: Any, state: Any) -> None:
        one.analysis = self._analysis
        before = list(state.func_ir.blocks) if state.func_ir else []
        is_short = type(one) in _FOLLOWED_BY_LIFETIMES and not self._tracks_lifetimes
        lifetimes = _without_lifetimes() if is_short else nullcontext()
        with errors.new_error_context("Pass {name}", name=one.name()), lifetimes:  # type: ignore[attr-defined]
            one.run_pass(state)
        if before and before != list(state.func_ir.blocks):
            PostProcessor(state.func_ir).run()


@contextmanager
def _without_lifetimes() -> Iterator[None]:
    """Let passes leave out finding out again how long variables live; generators need it."""
    processor: Any = PostProcessor
    run = processor.run

    def run_for_generators(self: Any, *arguments: Any, **options: Any) -> None:
        if self.func_ir.is_generator:
            run(self, *arguments, **options)

    processor.run = run_for_generators
    try:
        yield
    finally:
        processor.run = run


class OuterCompiler(CompilerBase):
    """Numba's compiler with `_Passes`."""

    lowering: type = OuterLowering

    def define_pipelines(self) -> list[Any]:
        """Return one pipeline, as Numba's own compiler does."""
        constants = self.state.func_id.code.co_consts
        has_closures = any(isinstance(one, CodeType) for one in constants)
        kind = has_closures, bool(self.state.flags.nrt), self.lowering
        if kind not in _passes:
            _passes[kind] = _Passes(DefaultPassBuilder.define_nopython_pipeline(self.state), *kind)
        return [_passes[kind]]


class FlatCompiler(OuterCompiler):
    """The same for loops that become one function."""

    lowering = FlatLowering


class InnerCompiler(OuterCompiler):
    """The same for inner functions; Numba looked for new types when it began their caller."""

    lowering = InnerLowering

    def __init__(self, typingctx: Any, targetctx: Any, *others: Any) -> None:
        typingctx.refresh = targetctx.refresh = _nothing
        try:
            super().__init__(typingctx, targetctx, *others)
        finally:
            del typingctx.refresh, targetctx.refresh


class InlineCompiler(InnerCompiler):
    """The same for functions that become a part of their callers."""

    lowering = InlineLowering


class ApartCompiler(InnerCompiler):
    """The same for functions that their callers call rarely."""

    lowering = ApartLowering


def _nothing() -> None:
    pass


_passes: dict[tuple[bool, bool, type], _Passes] = {}  # made once for each kind of function


def call_inside(
    dispatcher: Any, options: dict[str, Any], modules: frozenset[str], code_cache: Any
) -> None:
    """Let compiled callers of a dispatcher use inner code, kept in `code_cache`."""

    @cache
    def inner() -> Any:  # made when needed: never where the code of all callers is on disk
        made = numba.njit(no_cpython_wrapper=True, **options)(dispatcher.py_func)
        made._cache = code_cache
        made._compiling_counter = dispatcher._compiling_counter  # for recursion
        made.add_overload = partial(_add_inner, made)
        made._compiler.compile = partial(_counted, made._compiler.compile, modules)
        return made

    dispatcher.add_overload = partial(_add_outer, dispatcher)
    dispatcher.compile = partial(_compile_outer, dispatcher, modules)
    dispatcher.get_call_template = partial(_call_template, inner)
    dispatcher.get_overload = partial(_overload, inner)
    dispatcher._compiler.compile = partial(_counted, dispatcher._compiler.compile, modules)
    progress.announce(modules)


@global_compiler_lock  # before the timers are looked up, because all threads have the same ones
def _compile_outer(dispatcher: Any, modules: frozenset[str], signature: Any) -> Any:
    """Compile or load as Numba does, meanwhile without garbage collection and timers.

    Numba's timers get two events for each of tens of thousands of calls of LLVM.
    """
    progress.started(modules)
    is_collecting = gc.isenabled()
    gc.disable()
    timers = list(llvm.ffi.lib._lock._cblist)
    for timer in timers:
        llvm.ffi.unregister_lock_callback(*timer)
    try:
        return type(dispatcher).compile(dispatcher, signature)
    finally:
        for timer in timers:
            llvm.ffi.register_lock_callback(*timer)
        if is_collecting:
            gc.enable()


def _counted(compile: Callable[..., Any], modules: frozenset[str], *arguments: Any) -> Any:
    prepare()
    result = compile(*arguments)
    progress.finished(modules)
    return result


@cache
def prepare() -> None:
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


def _call_template(inner: Callable[[], Any], args: tuple[Any, ...], kws: dict[str, Any]) -> Any:
    """Return the template for these types: one function for signed integers of all sizes.

    LLVM finds constant values again where it inlines the function.
    """
    try:
        return inner().get_call_template(tuple(map(_widened, args)), kws)
    except TypingError:  # it needs a constant when compiled
        return inner().get_call_template(args, kws)


def _overload(inner: Callable[[], Any], signature: Any) -> Any:
    return inner().get_overload(signature)


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
