"""The ledger: ModelSpec -> Terms.  The one place where FLOPs and parameters are counted."""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise
from typing import Any, Literal

import msgspec

from mfu_gui.engine.builder import Builder
from mfu_gui.engine.count_layers import count_layer, count_part, count_stack
from mfu_gui.engine.model import (
    Connector,
    FrameFrontEnd,
    Head,
    ModelSpec,
    MultiTokenPrediction,
    PatchFrontEnd,
    Projection,
    Stack,
)
from mfu_gui.engine.run import Trainable
from mfu_gui.engine.scenario import Parameters
from mfu_gui.engine.terms import Axis, Measure, Term
from mfu_gui.engine.training import FROZEN, FULL, Plan, Policy, plan_of

PartOfModel = Literal["embedding", "head", "encoder", "vision", "decoder", "connector"]


class Ledger(msgspec.Struct, frozen=True):
    """All terms of a model and the parameter counts that follow from them.

    ``trained``: parameters that get a gradient; those of adapters come on top of the model's own.
    """

    terms: tuple[Term, ...]
    parameters: Parameters
    trained: int


def ledger(model: ModelSpec, multi_token_prediction: int = 0, as_executed: bool = False,
           trainable: Literal["full"] | Trainable = "full") -> Ledger:
    """Count ``model``.

    ``multi_token_prediction`` adds that many prediction depths to the terms (never to the
    parameters).  ``as_executed`` counts what a reference implementation wastes as well.
    ``trainable`` takes out of the backward pass what frozen parts do not need, and adds adapters;
    InputError for a part the model does not have.
    """
    # A cache tells arguments that are given from those that are left out: here they are the same.
    return _ledger(model, multi_token_prediction, as_executed, trainable)


@lru_cache(maxsize=64)
def _ledger(model: ModelSpec, depths: int, as_executed: bool, trainable: Literal["full"] | Trainable) -> Ledger:
    terms = terms_of(model, depths, as_executed, trainable)
    return Ledger(terms, *_parameters(terms))


@lru_cache(maxsize=64)
def terms_of(model: ModelSpec, depths: int, as_executed: bool, trainable: Literal["full"] | Trainable,
             ) -> tuple[Term, ...]:
    """The terms of ``ledger`` alone: of a model as a convention sees it nobody asks for the parameters."""
    counting = _Counting(model, as_executed, None if trainable == "full" else plan_of(model, trainable))
    counting.run(depths)
    return tuple(counting.terms)


class _Counting:
    """One pass over a model; ``terms`` grows in the order of execution."""

    def __init__(self, model: ModelSpec, as_executed: bool, plan: Plan | None) -> None:
        self.model = model
        self.as_executed = as_executed
        self.plan = plan
        self.terms: list[Term] = []
        self.axes = frozenset(part.axis for part in model.stacks)
        self.sources: dict[str, bool] = {}
        """Whether the outputs of encoder and towers need a gradient, by what reads them."""
        self.outputs: dict[str, bool] = {}

    def policy(self, part: PartOfModel) -> Policy:
        """What is trained in one part of the model."""
        return FULL if self.plan is None else self.plan.of(part)

    def builder(self, stack: Stack, scratch: bool = False, **values: Any) -> Builder:
        """A builder whose terms are this ledger's, or nobody's (``scratch``)."""
        build = Builder(stack=stack.name, axis=stack.axis, hidden=stack.hidden_size, as_executed=self.as_executed,
                        axes=self.axes, sources=self.sources, **values)
        if not scratch:
            build.terms = self.terms
        return build

    def run(self, depths: int) -> None:
        """Count the whole model."""
        model, main = self.model, self.model.main
        x = self.embedding(main)
        for stack in model.stacks:
            if stack is not main:
                self.stack(stack, x)
                self.sources["image" if stack.name == "vision" else "encoder"] = self.outputs[stack.name]
        for connector in model.connectors:
            x = self.connector(connector) or x
        self.stack(main, x)
        for part in model.parts:
            count_part(part, self.builder(main, policy=self.policy(main.name)))
        if model.head is not None:
            self.head(model.head, model.stack(model.head.stack) or main)
        for projection in model.projections:
            self.projection(projection)
        if depths and model.multi_token_prediction is not None:
            self.prediction(model.multi_token_prediction, depths)

    def embedding(self, main: Stack) -> bool:
        """Tables that are looked up, and the way from their width to the hidden size."""
        model, policy = self.model, self.policy("embedding")
        x = policy.weights
        build = self.builder(main, policy=policy, x=x)
        for table in model.tables:
            build.scope("embedding", table.store).vector(table.name, table.rows * table.width, kind="table")
        if not model.vocabulary:
            return x
        width = model.embedding_width or main.hidden_size
        scope = build.scope("embedding", "token_embedding")
        scope.vector("tokens", model.vocabulary * width, kind="table")
        if model.token_types:
            scope.vector("token_types", model.token_types * width, kind="table")
        if width != main.hidden_size:
            build.policy = self.policy(main.name)
            x = build.scope("embedding_projection", "embedding_projection").matrix(
                "project_in", width, main.hidden_size, bias=model.embedding_projection_bias, needs=x)
        return x

    def stack(self, stack: Stack, x: bool) -> None:
        """Front end, positions, layers and final norm of one stack."""
        policy = self.policy(stack.name)
        build = self.builder(stack, policy=policy, x=False)
        if isinstance(stack.front_end, PatchFrontEnd):
            x = _count_patches(stack.front_end, build)
        elif isinstance(stack.front_end, FrameFrontEnd):
            x = _count_frames(stack.front_end, build)
        if stack.position_table:
            if stack.front_end is None:
                build.policy = self.policy("embedding")
            build.scope("embedding", "position_embedding").vector(
                "positions", stack.position_table * stack.hidden_size, kind="table")
            build.policy = policy
        normed = stack.norm_vectors > 0 and policy.weights
        x = x or (normed and stack.embedding_norm)
        out = count_stack(stack, self.plan, stack is self.model.main, x, self.builder)
        norms = stack.norm_vectors * (stack.final_norm + stack.embedding_norm)
        if norms:
            build.scope("norms", "norms").vector("final_norm", stack.hidden_size, kind="norm", copies=norms)
        self.outputs[stack.name] = out or (normed and stack.final_norm)

    def connector(self, connector: Connector) -> bool:
        """The matrices between a tower and the language model, once an image token."""
        model = self.model
        policy = self.policy("connector")
        seen = "encoder" if connector.axis in ("sound", "frame") else "vision"
        source = model.stack(seen) or model.stack("vision") or model.stack("encoder") or model.main
        build = self.builder(source, policy=policy)
        needs = self.outputs.get(source.name, True) or (connector.norm_parameters > 0 and policy.weights)
        scope = build.scope("vision_projector", "vision_projector")
        build.stored = int(connector.stored)
        if connector.core_keys:
            size = 2 * connector.core_width * connector.core_keys * connector.copies
            for part in ("scores", "values"):
                scope.product(f"connect_{part}", size, Measure("positions", connector.axis))
        for index, (rows, columns) in enumerate(pairwise(connector.widths)):
            needs = scope.matrix(f"connect_{index}", rows, columns, bias=connector.bias, copies=connector.copies,
                                 used=connector.copies, axis=connector.axis, needs=needs)
        if connector.norm_parameters:
            build.scope("norms", "norms").vector("connector_norm", connector.norm_parameters, kind="norm",
                                                 copies=connector.copies)
        self.sources["image"] = needs
        return needs

    def head(self, head: Head, stack: Stack) -> None:
        """What makes logits of the last hidden state."""
        model = self.model
        outputs = head.classes or model.vocabulary
        if not outputs:
            return
        hidden = head.inputs or stack.hidden_size
        width = hidden if head.classes else model.embedding_width or hidden
        x = self.outputs.get(stack.name, True)
        build = self.builder(stack, policy=self.policy(stack.name), x=x)
        measure = Measure("sequences" if head.pooled else "positions", stack.axis)
        if head.transform:
            scope = build.scope("lm_head_transform", "lm_head_transform")
            x = scope.matrix("transform", hidden, width, bias=head.transform_bias, measure=measure)
            build.scope("norms", "norms").vector("transform_norm", width, kind="norm", copies=head.transform_norm)
        elif width != hidden and model.embedding_projection == "both":
            x = build.scope("embedding_projection", "embedding_projection").matrix(
                "project_out", hidden, width, bias=model.embedding_projection_bias)
        build.policy = self.policy("head")
        scope = build.scope("lm_head", "lm_head")
        build.stored = 0 if head.tied and not head.classes else 1
        scope.matrix("head", width, outputs, needs=x, measure=measure)
        build.stored = 1
        if head.bias or head.bias_buffer:
            scope.vector("head_bias", outputs, kind="buffer" if head.bias_buffer else "bias")

    def projection(self, projection: Projection) -> None:
        """A pooled output into the space two towers share, and its comparison with the other's."""
        stack = self.model.stack(projection.stack) or self.model.main
        policy, x = self.policy(stack.name), self.outputs.get(stack.name, True)
        build = self.builder(stack, policy=FROZEN if projection.unused else policy, x=x and not projection.unused)
        scope = build.scope(projection.component, projection.component)
        inputs = projection.inputs or stack.hidden_size
        if projection.unused and not self.as_executed:
            scope.vector("projection", (inputs + projection.bias) * projection.outputs)
            return
        once = Measure("sequences", stack.axis)
        out = scope.matrix("projection", inputs, projection.outputs, bias=projection.bias, measure=once,
                           times=projection.rows)
        for part in ("pool_scores", "pool_values") if projection.core_keys else ():
            scope.product(part, 2 * projection.outputs * projection.core_keys, once, first=out)
        if self.model.contrastive and stack is self.model.main:
            scope.product("contrast", 2 * projection.outputs, Measure("positions", "batch"), first=out)

    def prediction(self, spec: MultiTokenPrediction, depths: int) -> None:
        """Depths of multi-token prediction: join, layers, norms, the shared head again."""
        stack, model = self.model.main, self.model
        hidden = stack.hidden_size
        build = self.builder(stack, section="mtp", layer=spec.layer, executed=depths, stored=depths,
                             policy=self.policy(stack.name))
        build.scope("mtp_projection", "multi_token_prediction").matrix("join", 2 * hidden, hidden)
        build.scope("norms", "norms").vector("mtp_norms", hidden, kind="norm", copies=3 * stack.norm_vectors)
        for name in (spec.layer, *spec.more_layers):
            build.x = True
            count_layer(stack.kind(name), stack, build, 0)
        if model.head is not None and model.vocabulary:
            build.stored, build.policy = 0, self.policy("head")
            build.scope("lm_head", "lm_head").matrix("mtp_head", model.embedding_width or hidden, model.vocabulary,
                                                     needs=True)


def _count_patches(front: PatchFrontEnd, build: Builder) -> bool:
    """The convolution over patches of pixels: data has no gradient."""
    scope = build.scope("patch_or_frontend_conv", "patch_embedding")
    out = scope.matrix("patches", front.channels * front.temporal * front.patch_size**2, build.hidden,
                       bias=front.bias, axis="grid", needs=False)
    learned = front.class_tokens + front.mask_token
    if learned:
        scope.vector("class_tokens", learned * build.hidden)
    return out


def _count_frames(front: FrameFrontEnd, build: Builder) -> bool:
    """Convolutions over frames of sound, each on the axis its stride leaves."""
    scope = build.scope("patch_or_frontend_conv", "patch_embedding")
    x, last = False, len(front.convolutions) - 1
    for index, convolution in enumerate(front.convolutions):
        axis: Axis = "frame" if index == last else FRAME_AXES[index + 1]
        x = scope.matrix(f"conv{index + 1}", convolution.inputs * convolution.kernel, convolution.outputs,
                         bias=convolution.bias, axis=axis, needs=x)
    return x


FRAME_AXES: tuple[Axis, ...] = ("frame0", "frame1", "frame2", "frame3", "frame4", "frame5", "frame6", "frame7")


def _parameters(terms: tuple[Term, ...]) -> tuple[Parameters, int]:
    """The counts of parameters, and how many of them are trained."""
    components: dict[str, int] = {}
    total = buffers = routed = routed_active = trained = 0
    for term in terms:
        if not term.rows or term.section != "main":
            continue
        count = term.parameters
        if not count:
            continue
        if term.kind == "buffer":
            buffers += count
            continue
        components[term.store] = components.get(term.store, 0) + count
        total += count
        if term.trainable or "_lora_" in term.part:
            trained += count
        if term.copies > 1 and term.store == "experts":
            routed += count
            routed_active += term.stored * term.rows * term.columns * min(term.used, term.copies)
    return Parameters(total=total, active=total - routed + routed_active, checkpoint_total=total + buffers,
                      components=components), trained
