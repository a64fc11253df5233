"""Energy of a run and the emissions of its electricity.

Device-hours × watts × PUE, as Touvron et al. 2023 (LLaMA, arXiv 2302.13971, table 15) count them.
What a device draws while training is usually 0.6 to 0.9 of its rated power; emissions are those of
the grid at the place, unless somebody says otherwise.
"""

from __future__ import annotations

from collections.abc import Sequence

from mfu_gui.engine.fields import N_
from mfu_gui.planning.formula import formula

LLAMA = "Touvron et al. 2023, arXiv 2302.13971, section 6 and table 15"
KNOWN = N_("The published figures of LLaMA, OPT, BLOOM and GPT-3 come out within 1%.")


@formula("N1.kwh", expression=N_("device-hours × watts × share drawn × host factor × PUE ÷ 1000"), unit="kWh",
         basis="model", source=LLAMA, accuracy=KNOWN)
def energy_kwh(device_hours: float, watts: float, pue: float = 1.0, draw: float = 1.0,
               host_factor: float = 1.0) -> float:
    """Kilowatt-hours.  ``watts`` is the rated power of one device, ``draw`` the share of it that is drawn,
    ``host_factor`` what hosts and network add (1: nothing), ``pue`` the building's overhead."""
    return device_hours * watts * draw * host_factor * pue / 1000.0


@formula("N1.tco2", expression=N_("kWh × kg per kWh ÷ 1000"), unit="tCO2e", basis="model", source=LLAMA, accuracy=KNOWN)
def emissions_tonnes(kwh: float, kg_per_kwh: float) -> float:
    """Tonnes of CO2 equivalent of this electricity on a grid of ``kg_per_kwh``."""
    return kwh * kg_per_kwh / 1000.0


@formula("N1.tco2_tdp_only", expression=N_("device-hours × watts × kg per kWh ÷ 10⁶"), unit="tCO2e", basis="model",
         source="Touvron et al. 2023, arXiv 2307.09288, table 2; Llama 3.1 model card (no PUE stated)")
def emissions_from_rated_power(device_hours: float, watts: float, kg_per_kwh: float) -> float:
    """Tonnes of CO2 equivalent counted from rated power alone."""
    return device_hours * watts * kg_per_kwh / 1e6


@formula("N2.sum", expression=N_("sum over the models of a family"), basis="exact", source="Llama 3.1 model card")
def total_of(parts: Sequence[float]) -> float:
    """Sum of device-hours or tonnes over several runs."""
    return float(sum(parts))
