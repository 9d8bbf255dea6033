"""python -m memory_test_support.model_server"""

import sys

from memory_test_support.model_server.main import main

sys.exit(main())
