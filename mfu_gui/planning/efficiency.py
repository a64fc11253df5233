"""How much of its peaks a device reaches in large kernels and collectives.

Nothing on a data sheet says it, so these are assumptions per family, to be replaced by what a user's own
run shows.  A100: set once from the layer times of Korthikanti et al. 2022 (arXiv 2205.05198, table 4) and
from public NCCL tests, then left alone.  B200: set on the 43 measured steps that SimuMax v1.2 publishes
(docs/b200), all of eight devices with Megatron-LM and without overlap, so there the model is no floor but fits
those runs by 3 % on average and 9 % at worst.  Hopper: what Megatron-class stacks reach on public tables.

How much communication runs beside products is an assumption as well: none on A100, whose published runs
are from before that was usual, most of it later.
"""

from __future__ import annotations

import msgspec

from mfu_gui.engine.fields import N_
from mfu_gui.engine.hardware import HardwareSpec
from mfu_gui.engine.scenario import Peak, Scenario
from mfu_gui.engine.utilization import peak_tflops_per_device, preset_peak_tflops
from mfu_gui.planning.formula import TERA
from mfu_gui.planning.spec import StepSpec
from mfu_gui.planning.step_core import Machine
from mfu_gui.planning.step_work import kernel_of

GIGA = 1e9
UNKNOWN = float("inf")
"""Bandwidth of a link or memory that the accelerator's data do not give: its time is left out of the floor."""


class Efficiency(msgspec.Struct, frozen=True, kw_only=True):
    """Shares of the peaks.  ``matmul`` large dense products, ``experts`` grouped products of routed
    experts, ``flash`` and ``unfused`` attention, ``memory`` streams, ``scale_up`` and ``scale_out`` links."""

    family: str
    matmul: float
    experts: float
    flash: float
    unfused: float
    memory: float = 0.80
    scale_up: float = 0.77
    scale_out: float = 0.85
    latency_s: float = 0.0
    layer_s: float = 0.0
    tensor_overlap: float = 0.8
    expert_overlap: float = 0.5
    data_overlap: bool = True
    known: bool = True
    """Whether runs on this family were compared with the model."""


AMPERE = Efficiency(family="A100", matmul=0.75, experts=0.60, flash=0.45, unfused=0.75, scale_up=230 / 300,
                    tensor_overlap=0.0, expert_overlap=0.0, data_overlap=False)
HOPPER = Efficiency(family="H100", matmul=0.60, experts=0.45, flash=0.45, unfused=0.40)
BLACKWELL = Efficiency(family="B200", matmul=0.483, experts=0.26, flash=0.41, unfused=0.40, memory=0.30, scale_up=0.52,
                       latency_s=19e-6, layer_s=120e-6)
OTHER = Efficiency(family=N_("other accelerators"), matmul=0.60, experts=0.45, flash=0.40, unfused=0.40, known=False)
FAMILIES: tuple[tuple[tuple[str, ...], Efficiency], ...] = (
    (("A100", "A800"), AMPERE),
    (("H100", "H800", "H200", "H20", "GH200"), HOPPER),
    (("B200", "GB200", "B300", "GB300", "B100"), BLACKWELL),
)
"""Words of an accelerator's name, and what is usual for it."""


def usual_efficiency(hardware: HardwareSpec) -> Efficiency:
    """What is usual for the accelerator's family."""
    words = set(hardware.name.replace("-", " ").replace("/", " ").upper().split())
    for names, efficiency in FAMILIES:
        if words.intersection(names):
            return efficiency
    return OTHER


def dense_peak_tflops(scenario: Scenario) -> float:
    """The peak that kernels can reach at most: dense, as the accelerator's data have it.

    A typed peak counts where the data have none for the precision.  InputError ``peak_missing`` for neither.
    """
    dense = Peak(mix=scenario.peak.mix, devices_are=scenario.peak.devices_are)
    if scenario.peak.tflops is not None and scenario.run.precision not in scenario.hardware.peak_tflops:
        return scenario.peak.tflops
    if scenario.peak.mix:
        return peak_tflops_per_device(scenario.hardware, scenario.run.precision, dense)
    return preset_peak_tflops(scenario.hardware, scenario.run.precision, dense)


def machine_of(scenario: Scenario, spec: StepSpec) -> Machine:
    """What one device of the scenario reaches."""
    hardware, usual = scenario.hardware, usual_efficiency(scenario.hardware)
    parts = hardware.framework_devices if scenario.peak.devices_are == "framework_devices" else 1
    peak = dense_peak_tflops(scenario) * TERA
    kernel = usual.flash if kernel_of(scenario.run) == "flash" else usual.unfused
    matmul = spec.matmul_efficiency or usual.matmul
    experts = spec.expert_efficiency or matmul * usual.experts / usual.matmul
    node = hardware.scale_up_domain or hardware.devices_per_node or 1
    return Machine(
        matmul_flops=peak * matmul, expert_flops=peak * experts,
        attention_flops=peak * (spec.attention_efficiency or kernel),
        memory_bandwidth=_bandwidth(hardware.memory_bandwidth_gb_s, parts, spec.memory_efficiency or usual.memory),
        scale_up=_bandwidth(hardware.scale_up_gb_s, parts, spec.scale_up_efficiency or usual.scale_up),
        scale_out=_bandwidth(None if hardware.scale_out_gbit_s is None else hardware.scale_out_gbit_s / 8, parts,
                             spec.scale_out_efficiency or usual.scale_out),
        node=float(node * parts), latency_s=usual.latency_s if spec.latency_s is None else spec.latency_s,
        layer_s=usual.layer_s if spec.layer_s is None else spec.layer_s)


def _bandwidth(gb_s: float | None, parts: int, efficiency: float) -> float:
    return UNKNOWN if gb_s is None else gb_s * GIGA / parts * efficiency
