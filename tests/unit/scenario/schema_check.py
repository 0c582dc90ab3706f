# SPDX-License-Identifier: GPL-3.0-or-later
# schema_check.py SCHEMA CASES: prints "valid" or "invalid" for every document of the JSON list CASES.
import json
import sys

import jsonschema

schema = json.load(open(sys.argv[1]))
jsonschema.Draft202012Validator.check_schema(schema)
validator = jsonschema.Draft202012Validator(schema)
for case in json.load(open(sys.argv[2])):
    print("valid" if validator.is_valid(case) else "invalid")
