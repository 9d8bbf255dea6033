"""`python -m memory_test_support.demo`, which is what `./dev demo` runs."""

import sys

from memory_test_support.demo.main import main

sys.exit(main())
