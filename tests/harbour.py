"""A small invented project in several languages: what code is searched in by tests."""

from __future__ import annotations

from collections.abc import Mapping

FILES: Mapping[str, str] = {
    "src/harbour/lamp.py": '''"""The lamp of the lighthouse."""

from harbour.weather import visibility


class BeaconLamp:
    """Shines as far as the weather allows."""

    def __init__(self, watts):
        self.watts = watts
        self.burning = False

    def ignite(self):
        """Light the burner and wait until the mirror turns."""
        if visibility() < 10:
            self.burning = True
        return self.burning

    def extinguish(self):
        """Put the burner out at sunrise."""
        self.burning = False
        return None


def replace_burner(lamp):
    """Swap a broken burner for a spare one."""
    lamp.extinguish()
    return BeaconLamp(lamp.watts)
''',
    "src/harbour/weather.py": '''"""What the barometer and the fog sensor say."""

PRESSURE_LIMIT = 980


def visibility():
    """Return how many miles can be seen through the fog."""
    return read_sensor("fog") * 2


def read_sensor(name):
    """Ask a sensor for its latest measurement, three times if the cable is wet."""
    for attempt in range(3):
        value = poll(name, attempt)
        if value is not None:
            return value
    return 0


def is_storm(pressure):
    return pressure < PRESSURE_LIMIT
''',
    "web/fogHorn.ts": """// Sounds the horn while nobody can see.
export interface Horn {
  blow(seconds: number): void;
}

export class FogHorn implements Horn {
  private silent = true;

  /** Blow a long warning for ships that come too near. */
  soundWarning(distance: number): void {
    if (distance < 500) {
      this.blow(6);
      this.silent = false;
    }
  }

  blow(seconds: number): void {
    console.log("honk".repeat(seconds));
  }
}
""",
    "cmd/tide.go": """package tide

import "math"

// Table holds the heights of a day by the hour.
type Table struct {
	heights []float64
}

// PredictTide computes the height of the water from the phase of the moon.
func PredictTide(moonPhase float64, hour int) float64 {
	angle := moonPhase + float64(hour)*math.Pi/6
	return 2 * math.Cos(angle)
}

// Highest returns the hour of high water.
func (t *Table) Highest() int {
	best := 0
	for hour, height := range t.heights {
		if height > t.heights[best] {
			best = hour
		}
	}
	return best
}
""",
    "native/buoy.rs": """/// A buoy that drifts on its chain.
pub struct Buoy {
    pub chain_length: f64,
    pub position: (f64, f64),
}

impl Buoy {
    /// Move with the current, as far as the chain allows.
    pub fn drift(&mut self, current: (f64, f64)) -> f64 {
        self.position.0 += current.0;
        self.position.1 += current.1;
        let distance = (self.position.0.powi(2) + self.position.1.powi(2)).sqrt();
        distance.min(self.chain_length)
    }
}
""",
    "tests/test_lamp.py": """from harbour.lamp import BeaconLamp, replace_burner


def test_a_lamp_can_be_ignited():
    lamp = BeaconLamp(40)
    assert lamp.ignite()
    lamp.extinguish()
    assert not lamp.burning


def test_a_burner_can_be_replaced():
    lamp = replace_burner(BeaconLamp(40))
    assert lamp.watts == 40
""",
    "examples/lamp_demo.py": """from harbour.lamp import BeaconLamp

lamp = BeaconLamp(100)
lamp.ignite()
lamp.extinguish()
print("burner", lamp.burning)
""",
    "README.md": """# Harbour

## The burner

The burner of the beacon lamp is lit at dusk. Replace a broken burner before winter.

## Tides

Tide tables are computed from the phase of the moon.
""",
    "config/harbour.yaml": "lamp:\n  watts: 40\n  burner: brass\nhorn:\n  seconds: 6\n",
}
