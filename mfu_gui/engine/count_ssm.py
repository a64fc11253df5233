"""What a state-space mixer adds to the ledger, and how cores of chunked mixers are counted.

A scan has no one cost: it depends on the kernel.  Components ``ssm_core`` and
``linear_attention_core`` hold the *model count*: the matrix products of the chunked form with the
quadratic part over the real positions of each chunk, keys and queries formed once a group, and the
carrying of a state from chunk to chunk left out (it is elementwise).  ``as_executed`` holds what
the eager reference code does: CBᵀ once a head, every chunk padded, and a small product over
(chunks + 1)² chunk states.  Elementwise scans (Mamba-1's recurrence, RWKV-4, RG-LRU) are in neither.

Conventions that know another cost leave out the core (component ``ssm_core`` or
``linear_attention_core``, passes 0) and add their own as an ``Extra`` over ``positions``, per layer,
forward and backward together:

====================  ======================================  ====================================
framework             Mamba-2 core, inner width w, state N    gated delta net core
====================  ======================================  ====================================
Megatron-LM           21·w·N (7·w·N forward)                  (its own closed form)
NeMo                  6·w·N (2·w·N forward)                   –
verl                  –                                       15·d_k·d_v·H (5·d_k·d_v·H forward)
OLMo-core             –                                       forward only, passes 1
====================  ======================================  ====================================

``scan_widths`` and ``delta_widths`` below give w·N and d_k·d_v·H summed over the layers of a model.
"""

from __future__ import annotations

from typing import Literal

from mfu_gui.engine.builder import Builder, Scope
from mfu_gui.engine.model import GatedDeltaNet, KimiDeltaAttention, Mamba1, Mamba2, ModelSpec
from mfu_gui.engine.terms import Measure, MeasureKind


class Chunks:
    """The measures of one chunked core: real positions, or padded ones as a reference executes them."""

    def __init__(self, build: Builder, size: int, whole_only: bool = False) -> None:
        self.size = size
        self._axis = build.axis
        self._executed = build.as_executed
        self._whole_only = whole_only

    def _of(self, kind: MeasureKind) -> Measure:
        return Measure(kind, self._axis, chunk=self.size)

    def positions(self, scope: Scope, part: str, per_position: int, *, first: bool = True, second: bool = True,
                  ) -> None:
        """A product once a position."""
        if self._executed and not self._whole_only:
            scope.product(part, per_position * self.size, self._of("chunks"), first=first, second=second)
        else:
            scope.product(part, per_position, Measure("positions", self._axis), first=first, second=second)

    def pairs(self, scope: Scope, part: str, per_pair: int, *, first: bool = True, second: bool = True) -> None:
        """A product over the pairs of positions inside each chunk."""
        if not self._executed:
            scope.product(part, per_pair, self._of("chunk_pairs"), first=first, second=second)
            return
        measure = self._of("whole_chunks" if self._whole_only else "chunks")
        scope.product(part, per_pair * self.size**2, measure, first=first, second=second)

    def pairs_of_backward(self, scope: Scope, part: str, per_pair: int) -> None:
        """As ``pairs``, for FLOPs of the backward pass alone."""
        if self._executed:
            scope.backward_only(part, per_pair * self.size**2, self._of("chunks"))
        else:
            scope.backward_only(part, per_pair, self._of("chunk_pairs"))

    def no_gradient(self, scope: Scope, part: str, chunk: Literal["first_chunk", "last_chunk"], per_position: int,
                    ) -> None:
        """Takes ``per_position`` off the backward pass of the first or last chunk: the first reads a
        state of zeros, the last makes one that nobody reads."""
        if self._executed and not self._whole_only:
            scope.backward_only(part, -per_position * self.size, Measure("documents", self._axis))
        else:
            scope.backward_only(part, -per_position, self._of(chunk))


def count_convolution(build: Builder, store: str, channels: int, kernel: int, bias: bool, *,
                      component: str = "ssm_conv", needs: bool = True) -> bool:
    """A depthwise causal convolution: 2·kernel·channels a position.  The reference pads kernel − 1
    positions at the end, convolves them too, and cuts them off (``as_executed``)."""
    scope = build.scope(component, store)
    out = scope.matrix("conv", channels, kernel, needs=needs)
    if bias:
        scope.vector("conv_bias", channels, kind="bias")
    if build.as_executed and kernel > 1:
        scope.product("conv_padding", 2 * channels * kernel * (kernel - 1), Measure("documents", build.axis),
                      first=needs, second=build.policy.weights)
    return out


def count_mamba1(mixer: Mamba1, build: Builder) -> bool:
    """In, convolution, x, dt, the product of the state with C, and out."""
    proj = build.scope("ssm_proj", "ssm")
    inner, part = mixer.inner, mixer.inner // mixer.heads
    x = proj.matrix("ssm_in", build.hidden, 2 * inner, bias=mixer.bias)
    x = count_convolution(build, "ssm", inner, mixer.conv, mixer.conv_bias, needs=x)
    selected = proj.matrix("ssm_x", part, mixer.dt_rank + 2 * mixer.state, copies=mixer.heads, used=mixer.heads,
                           needs=x)
    proj.matrix("ssm_dt", mixer.dt_rank, part, copies=mixer.heads, used=mixer.heads, bias=True, needs=selected)
    for name, size in (("A", inner * mixer.state), ("D", inner)):
        proj.vector(name, size)
    if mixer.inner_norms:
        build.scope("norms", "norms").vector("ssm_norms", mixer.dt_rank + 2 * mixer.state, kind="norm")
    out = build.scope("ssm_core", "ssm").product("ssm_read", 2 * inner * mixer.state, build.positions(),
                                                 first=x or build.policy.weights, second=selected)
    return proj.matrix("ssm_out", inner, build.hidden, bias=mixer.bias, needs=out or x)


def count_mamba2(mixer: Mamba2, build: Builder) -> bool:
    """In, convolution, the chunked state-space core, the gated norm and out."""
    proj = build.scope("ssm_proj", "ssm")
    inner = mixer.heads * mixer.head_dim
    groups = mixer.groups * mixer.state
    x = proj.matrix("ssm_in", build.hidden, 2 * inner + 2 * groups + mixer.heads, bias=mixer.bias)
    x = count_convolution(build, "ssm", inner + 2 * groups, mixer.conv, mixer.conv_bias, needs=x)
    proj.vector("per_head", mixer.heads * (1 + mixer.time_bias + mixer.skip))
    if mixer.gated_norm:
        build.scope("norms", "norms").vector("ssm_norm", inner, kind="norm")
    _count_duality(mixer, build, inner, x)
    return proj.matrix("ssm_out", inner, build.hidden, bias=mixer.bias, needs=x or build.policy.weights)


def _count_duality(mixer: Mamba2, build: Builder, inner: int, x: bool) -> None:
    """CBᵀ and its product with X inside the chunks, the states of the chunks, and reading them."""
    core = build.scope("ssm_core", "ssm")
    chunks = Chunks(build, mixer.chunk)
    scores = mixer.heads if build.as_executed else mixer.groups
    chunks.pairs(core, "ssm_scores", 2 * mixer.state * scores, first=x, second=x)
    chunks.pairs(core, "ssm_values", 2 * inner, first=x, second=x)
    chunks.positions(core, "ssm_states", 2 * inner * mixer.state, first=x, second=x)
    chunks.positions(core, "ssm_read", 2 * inner * mixer.state, first=x, second=x)
    if build.as_executed:
        core.product("ssm_carry", 2 * inner * mixer.state, Measure("chunk_borders", build.axis, chunk=mixer.chunk),
                     first=x, second=x)


def _layers(model: ModelSpec) -> list[tuple[int, object]]:
    """(times executed, mixer) over the main stack."""
    times: dict[str, int] = {}
    for name, count in model.main.order:
        times[name] = times.get(name, 0) + count
    return [(times.get(kind.name, 0), mixer) for kind in model.main.kinds for mixer in kind.mixers]


def scan_widths(model: ModelSpec) -> int:
    """Σ over all Mamba layers of inner width × state: what per-position scan costs are proportional to."""
    total = 0
    for count, mixer in _layers(model):
        if isinstance(mixer, Mamba1):
            total += count * mixer.inner * mixer.state
        elif isinstance(mixer, Mamba2):
            total += count * mixer.heads * mixer.head_dim * mixer.state
    return total


def delta_widths(model: ModelSpec) -> int:
    """Σ over all delta-rule layers of value heads × key dim × value dim."""
    total = 0
    for count, mixer in _layers(model):
        if isinstance(mixer, GatedDeltaNet):
            total += count * mixer.value_heads * mixer.key_dim * mixer.value_dim
        elif isinstance(mixer, KimiDeltaAttention):
            total += count * mixer.heads * mixer.head_dim**2
    return total
