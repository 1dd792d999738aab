"""What benchmarks of speed share; the tests' own servers and data are in reach, too."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3]))
