"""Serving: reading a prompt, generating tokens, and what bounds each of them.

FLOPs are the ledger's, counted at the lengths in question: a prompt costs what a sequence of its length
costs forward, less what a cached prefix would have; one more token costs the difference between two
lengths.  Latent attention is generated in its absorbed form, against latents instead of keys.
"""

from __future__ import annotations

import msgspec
from msgspec.structs import replace

from mfu_gui.engine.conventions import find
from mfu_gui.engine.errors import InputError, Notice
from mfu_gui.engine.evaluate import count
from mfu_gui.engine.fields import N_
from mfu_gui.engine.ledger import ledger
from mfu_gui.engine.model import MLA, Attention, CompressedAttention, ModelSpec, MoE
from mfu_gui.engine.run import RunSpec
from mfu_gui.engine.scenario import Peak, Scenario
from mfu_gui.engine.utilization import peak_tflops_per_device
from mfu_gui.planning import serving_formulas as rules
from mfu_gui.planning.cache import cache_of, mixers_run
from mfu_gui.planning.formula import Figure, missing
from mfu_gui.planning.memory import FITS_BELOW, capacity_of, devices_per_unit
from mfu_gui.planning.spec import InferenceSpec, PlanSpec

Figures = tuple[Figure, ...]


class Inference(msgspec.Struct, frozen=True, kw_only=True):
    """Serving figures by subject; ``decode`` and ``cache`` are empty for models that do not generate."""

    prefill: Figures
    decode: Figures
    cache: Figures
    notices: tuple[Notice, ...] = ()


class ServingDevice(msgspec.Struct, frozen=True, kw_only=True):
    """One counted device (peak in TFLOP/s, bandwidth in GB/s, memory in bytes), and how many of them serve
    one copy of the model."""

    peak: float
    bandwidth: float | None
    memory: float | None
    devices: int


def inference(scenario: Scenario, plan: PlanSpec) -> Inference:
    """Prefill and decode of ``scenario``'s model on its accelerator.

    InputError for a prefix longer than the prompt, and for a peak that the accelerator does not have.
    """
    spec, model = plan.inference, scenario.model
    prompt = spec.prompt_tokens or scenario.run.sequence_length
    if spec.prefix_tokens >= prompt:
        raise InputError("out_of_range", "plan.inference.prefix_tokens", value=spec.prefix_tokens, minimum=0,
                         maximum=prompt - 1)
    device = serving_device(scenario, plan)
    notices = _notices(model, device, spec)
    if not generates(model):
        figures = _prefill(model, scenario.run, spec, device, prompt)
        return Inference(prefill=figures, decode=(), cache=(),
                         notices=(*notices, Notice("inference_does_not_generate", "model")))
    context = prompt + spec.output_tokens
    prefill, decode = _prefill(model, scenario.run, spec, device, prompt), _decode(model, spec, device, context)
    return Inference(prefill=prefill, decode=decode, cache=_cache(model, spec, device, context),
                     notices=(*notices, *_above_peak(prefill, decode)))


def _above_peak(prefill: Figures, decode: Figures) -> tuple[Notice, ...]:
    """Utilizations above 1: measured times that are too short for what was counted."""
    measured = (("plan.inference.prefill_s", prefill), ("plan.inference.time_per_token_s", decode))
    return tuple(Notice("inference_above_peak", place, {"share": max(found)}) for place, figures in measured
                 if (found := [figure.value for figure in figures
                               if figure.key in ("mbu", "mfu") and figure.value is not None and figure.value > 1]))


def generates(model: ModelSpec) -> bool:
    """Whether the model writes one token after the other: a causal text decoder with a vocabulary."""
    main = model.main
    causal = all(mixer.mask == "causal" or mixer.keys_from != "self"
                 for kind in main.kinds for mixer in mixers_run(kind) if isinstance(mixer, Attention))
    return bool(main.axis == "text" and causal and model.vocabulary and model.head and not model.contrastive)


def serving_device(scenario: Scenario, plan: PlanSpec) -> ServingDevice:
    """What a copy of the model is served on; weights of 8 bits compute in fp8 where the device can.

    InputError for a peak that it does not have.
    """
    hardware, units = scenario.hardware, devices_per_unit(scenario.hardware, scenario.peak)
    peak = scenario.peak
    if plan.inference.weight_bytes <= 1 and "fp8" in hardware.peak_tflops and peak.tflops is None and not peak.mix:
        tflops = peak_tflops_per_device(hardware, "fp8", Peak(kind=peak.kind, devices_are=peak.devices_are))
    else:
        tflops = peak_tflops_per_device(hardware, scenario.run.precision, peak)
    bandwidth = hardware.memory_bandwidth_gb_s
    return ServingDevice(peak=tflops, bandwidth=None if bandwidth is None else bandwidth / units,
                   memory=capacity_of(hardware, plan.memory, peak),
                   devices=plan.inference.devices or hardware.devices_per_node or 1)


def forward_flops(model: ModelSpec, run: RunSpec, tokens: int) -> int:
    """Exact forward FLOPs of one sequence of ``tokens``, causal, the head at every position."""
    if not tokens:
        return 0
    one = replace(run, sequence_length=tokens, global_batch=1, document_lengths=None, trainable="full",
                  multi_token_prediction=0, recompute="none", attention_kernel=None, measured=None)
    flops, _ = count(model, one, find("matmul-causal"))
    return flops.forward or 0


def head_flops(model: ModelSpec) -> int:
    """Forward FLOPs of the LM head for one position."""
    return sum(term.per_unit for term in ledger(model, 0, False).terms
               if term.component in ("lm_head", "lm_head_transform") and term.measure.kind == "positions")


def prompt_flops(model: ModelSpec, run: RunSpec, prompt: int, prefix: int = 0, head: str = "last") -> int:
    """Exact FLOPs of reading a prompt whose first ``prefix`` tokens are cached."""
    flops = forward_flops(model, run, prompt) - forward_flops(model, run, prefix)
    return flops - head_flops(model) * (prompt - prefix - 1) if head == "last" else flops


def _prefill(model: ModelSpec, run: RunSpec, spec: InferenceSpec, device: ServingDevice, prompt: int) -> Figures:
    flops = prompt_flops(model, run, prompt, spec.prefix_tokens, spec.head) * spec.batch
    bound = flops / (device.devices * device.peak * 1e12 * spec.compute_efficiency)
    found = [
        Figure(key="tokens", label=N_("Tokens read"), value=(prompt - spec.prefix_tokens) * spec.batch,
               unit=N_("tokens")),
        Figure(key="flops", label=N_("FLOPs of the prompt"), value=flops, unit="FLOP", formula="I5.prefill_flops",
               expression=N_("forward FLOPs of the prompt less those of its cached prefix"),
               numbers={"prompt": prompt, "prefix": spec.prefix_tokens, "batch": spec.batch}),
        Figure(key="bound_s", label=N_("Least time to the first token"), value=bound, unit="s", basis="assumption",
               formula=rules.prefill_time_s.id, expression=N_("FLOPs ÷ (devices × peak × efficiency)"),
               numbers={"flops": flops, "devices": device.devices, "peak_tflops": device.peak,
                        "efficiency": spec.compute_efficiency}, accuracy=rules.prefill_time_s.accuracy),
    ]
    if spec.prefill_s is not None:
        found.append(rules.utilization.figure("mfu", N_("Prefill MFU"), flops=flops, time_s=spec.prefill_s,
                                              peak_tflops=device.peak, devices=device.devices))
    return tuple(found)


def decode_flops(model: ModelSpec, context: int) -> float:
    """FLOPs of generating one token after ``context`` others.

    The ledger's count at one length more, with latent attention in its absorbed form: scores against
    latent and rotary part, values from the latent.  Chunked cores are replaced by one update and one
    reading of their state.
    """
    flops = 0.0
    for term in ledger(model, 0, False).terms:
        if term.measure.axis != model.main.axis or term.stack != model.main.name or not term.per_unit:
            continue
        if term.measure.kind == "positions":
            flops += term.per_unit * term.executed
        elif term.measure.kind == "pairs" and not _is_latent(model, term.layer):
            flops += term.per_unit * term.executed * _keys_seen(term.measure.window, term.measure.chunk,
                                                               term.measure.top_k, term.measure.stride, context)
    return flops + _latent_pairs(model, context)


def _keys_seen(window: int | None, chunk: int | None, top_k: int | None, stride: int, context: int) -> int:
    """Keys that the next query sees, itself included."""
    if stride > 1:
        entries = (context + 1) // stride
        return entries if top_k is None else min(entries, top_k)
    if chunk is not None:
        return context % chunk + 1
    limits = [limit for limit in (window, top_k) if limit is not None]
    return min([context + 1, *limits])


def _is_latent(model: ModelSpec, layer: str) -> bool:
    return bool(layer) and any(isinstance(m, MLA) for m in mixers_run(model.main.kind(layer)))


def _latent_pairs(model: ModelSpec, context: int) -> float:
    """Scores and values of latent attention against the latents themselves."""
    total = 0.0
    for name, count_ in model.main.order:
        for mixer in mixers_run(model.main.kind(name)):
            if isinstance(mixer, MLA):
                widths = 2 * mixer.kv_lora_rank + mixer.qk_rope_head_dim
                top_k = mixer.indexer.top_k if mixer.indexer is not None else None
                total += count_ * 2.0 * mixer.heads * widths * _keys_seen(mixer.window, None, top_k, 1, context)
                if mixer.indexer is not None and mixer.indexer.own:
                    total += count_ * 2.0 * mixer.indexer.heads * mixer.indexer.head_dim * (context + 1)
    return total


class WeightsRead(msgspec.Struct, frozen=True):
    """Parameters that one decode step reads: without routed experts, and those of experts touched."""

    dense: int
    experts: float
    touched: float | None
    """Experts of one layer; None for models without experts."""


def weights_read(model: ModelSpec, batch: int) -> WeightsRead:
    """Parameters read by a step that generates one token for each of ``batch`` sequences.

    The token table is looked up, not read, unless it is the head as well.
    """
    head, dense, experts, touched = model.head, 0, 0.0, None
    for term in ledger(model, 0, False).terms:
        if term.stack not in ("", model.main.name) or term.section != "main" or not term.parameters:
            continue
        if term.kind == "table":
            tied = head is not None and head.tied and term.part == "tokens"
            dense += term.parameters if tied else 0
        elif term.component == "experts" and term.copies > 1:
            touched = rules.experts_touched(batch, term.copies, term.used)
            experts += term.parameters * touched / term.copies
        else:
            dense += term.parameters * (term.executed if term.stored == term.executed else term.stored) // max(
                1, term.stored)
    return WeightsRead(dense, experts, touched)


def _decode(model: ModelSpec, spec: InferenceSpec, device: ServingDevice, context: int) -> Figures:
    weights, cache = weights_read(model, spec.batch), cache_of(model, context, spec.kv_bytes)
    weight_bytes = (weights.dense + weights.experts) * spec.weight_bytes
    read = weight_bytes + cache.read * spec.batch
    flops = decode_flops(model, context) * spec.batch
    found = [
        Figure(key="context", label=N_("Context"), value=context, unit=N_("tokens")),
        Figure(key="flops_per_token", label=N_("FLOPs of one token"), value=flops / spec.batch, unit="FLOP",
               basis="model", formula=rules.decode_flops.id,
               expression=N_("one more token of forward FLOPs, latent attention absorbed"),
               numbers={"context": context}),
        Figure(key="weight_bytes", label=N_("Weights read a step"), value=weight_bytes, unit="bytes",
               basis="exact" if weights.touched is None else "model", expression=N_("parameters read × bytes"),
               numbers={"dense": weights.dense, "experts": weights.experts, "bytes": spec.weight_bytes}),
        Figure(key="cache_bytes", label=N_("Cache read a step"), value=cache.read * spec.batch, unit="bytes",
               expression=N_("what a step reads of one sequence's cache × batch"), numbers={"batch": spec.batch}),
    ]
    if weights.touched is not None:
        moe = next(f for kind in model.main.kinds for f in kind.ffns if isinstance(f, MoE))
        found.append(rules.experts_touched.figure("experts_touched", N_("Experts touched in a layer"),
                                                  tokens=spec.batch, experts=moe.experts, top_k=moe.top_k))
    return (*found, *_bounds(spec, device, flops, read))


def _bounds(spec: InferenceSpec, device: ServingDevice, flops: float, read: float) -> Figures:
    """What bandwidth and FLOPs allow, and what was reached."""
    if device.bandwidth is None:
        return (missing("bound_s", N_("Least time per token"), "s"), missing("ridge_batch", N_("Ridge batch")))
    by_reading = rules.decode_time_s(read, device.devices, device.bandwidth, spec.bandwidth_efficiency)
    by_computing = flops / (device.devices * device.peak * 1e12 * spec.compute_efficiency)
    bound = max(by_reading, by_computing) + spec.collectives_s
    found = [
        Figure(key="bound_s", label=N_("Least time per token"), value=bound, unit="s", basis="assumption",
               formula=rules.decode_time_s.id, accuracy=rules.decode_time_s.accuracy,
               expression=N_("the longer of reading and computing, plus collectives"),
               numbers={"reading_s": by_reading, "computing_s": by_computing, "collectives_s": spec.collectives_s}),
        Figure(key="tokens_per_s", label=N_("Most tokens per second"), value=spec.batch / bound, unit=N_("tokens/s"),
               basis="assumption", expression=N_("batch ÷ least time per token"), numbers={"batch": spec.batch}),
        rules.ridge_batch.figure("ridge_batch", N_("Ridge batch"), peak_tflops=device.peak,
                                 bandwidth_gb_s=device.bandwidth, weight_bytes=spec.weight_bytes),
    ]
    if spec.time_per_token_s is not None:
        found += [
            rules.bandwidth_utilization.figure("mbu", "MBU", bytes_read=read, time_per_token_s=spec.time_per_token_s,
                                               bandwidth_gb_s=device.bandwidth, devices=device.devices),
            rules.utilization.figure("mfu", N_("Decode MFU"), flops=flops, time_s=spec.time_per_token_s,
                                     peak_tflops=device.peak, devices=device.devices)]
    return tuple(found)


def _cache(model: ModelSpec, spec: InferenceSpec, device: ServingDevice, context: int) -> Figures:
    cache = cache_of(model, context, spec.kv_bytes)
    parameters = ledger(model, 0, False).parameters.checkpoint_total
    weights = parameters * spec.weight_bytes
    whole = None if device.memory is None else device.memory * device.devices
    most = most_sequences(model, device, spec, context)
    return (
        Figure(key="bytes_per_token", label=N_("Cache of one token"), value=cache.per_token, unit="bytes",
               formula=rules.kv_bytes_per_token.id, expression=rules.kv_bytes_per_token.expression,
               numbers={"bytes_per_value": spec.kv_bytes}),
        Figure(key="bytes_per_sequence", label=N_("Cache of one sequence"), value=cache.stored, unit="bytes",
               formula=rules.kv_cache_bytes.id, expression=N_("every layer's tokens, no more than its window"),
               numbers={"context": context}),
        Figure(key="bytes", label=N_("Cache of the batch"), value=cache.stored * spec.batch, unit="bytes",
               formula=rules.kv_cache_bytes.id, expression=N_("cache of one sequence × batch"),
               numbers={"bytes_per_sequence": cache.stored, "batch": spec.batch}),
        Figure(key="weights_bytes", label=N_("Weights held"), value=weights, unit="bytes",
               expression=N_("parameters × bytes"), numbers={"parameters": parameters, "bytes": spec.weight_bytes}),
        Figure(key="most_sequences", label=N_("Sequences that fit"), value=most, basis="model",
               expression=N_("(90% of memory − weights) ÷ cache of one sequence"),
               numbers={"memory": whole, "weights": weights, "bytes_per_sequence": cache.stored}),
    )


def most_sequences(model: ModelSpec, device: ServingDevice, spec: InferenceSpec, context: int) -> int | None:
    """Sequences of ``context`` tokens whose cache fits beside the weights; None where memory is not known."""
    stored = cache_of(model, context, spec.kv_bytes).stored
    if device.memory is None or not stored:
        return None
    weights = ledger(model, 0, False).parameters.checkpoint_total * spec.weight_bytes
    return max(0, int((device.memory * device.devices * FITS_BELOW - weights) // stored))


def _notices(model: ModelSpec, device: ServingDevice, spec: InferenceSpec) -> list[Notice]:
    found: list[Notice] = []
    if spec.devices is None:
        found.append(Notice("inference_devices_assumed", "plan.inference.devices", {"devices": device.devices}))
    weights = ledger(model, 0, False).parameters.checkpoint_total * spec.weight_bytes
    if device.memory is not None and weights > device.memory * device.devices:
        found.append(Notice("inference_weights_do_not_fit", "plan.inference.devices", {
            "needed": weights, "capacity": device.memory * device.devices, "devices": device.devices}))
    if device.devices > 1 and not spec.collectives_s:
        found.append(Notice("inference_collectives_left_out", "plan.inference.collectives_s"))
    if device.bandwidth is None:
        found.append(Notice("inference_bandwidth_missing", "hardware"))
    kinds = {type(mixer).__name__ for kind in model.main.kinds for mixer in mixers_run(kind)
             if not isinstance(mixer, Attention | MLA | CompressedAttention)}
    if kinds:
        found.append(Notice("inference_states_fp32", "model", {"kinds": sorted(kinds)}))
    if any(isinstance(ffn, MoE) for kind in model.main.kinds for ffn in kind.ffns):
        found.append(Notice("experts_assumed_even", "plan.inference.batch"))
    return found
