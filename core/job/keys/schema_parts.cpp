#include "core/job/keys/schema.hpp"

namespace kernelbatch {

std::string_view schema_parts() {
  return R"json({
  "job": {
    "$schema": "http://json-schema.org/draft-07/schema#",
    "title": "kernelbatch job",
    "description": "What to run, how to check it, how to time it, where results go",
    "type": "object",
    "additionalProperties": false,
    "oneOf": [{"required": ["workload"]}, {"required": ["workloads"]}],
    "allOf": [
      {
        "if": {"properties": {"workload": {"const": "inline"}}, "required": ["workload"]},
        "then": {
          "required": ["variants"],
          "properties": {"variants": {"$ref": "#/definitions/inline_variants"}}
        },
        "else": {
          "if": {"required": ["workload"]},
          "then": {
            "properties": {
              "variants": {"$ref": "#/definitions/texts"},
              "outputs": false,
              "reference": false
            }
          }
        }
      }
    ]
  },
  "scalar": {"type": ["string", "number", "boolean"]},
  "text": {"type": ["string", "number", "boolean"], "minLength": 1},
  "texts": {
    "anyOf": [
      {"$ref": "#/definitions/scalar"},
      {"type": "array", "minItems": 1, "items": {"$ref": "#/definitions/scalar"}}
    ]
  },
  "scalar_or_list": {"type": ["string", "number", "boolean", "array"]},
  "boolean": {"enum": [true, false, "true", "false", "True", "False", "TRUE", "FALSE"]},
  "number": {
    "description": "A number: 0.5, 1e6, 1_000, 2^20, 4Ki",
    "anyOf": [
      {"type": "number"},
      {
        "type": "string",
        "pattern": "^[-+]?[0-9._]*[0-9.]([eE][-+]?[0-9]+)?(\\^[-+]?[0-9._]+)?\\s*(Ki|Mi|Gi|Ti|k|K|M|G|T)?$"
      }
    ]
  },
  "magnitude": {
    "description": "A finite number that is not negative",
    "anyOf": [
      {"type": "number", "minimum": 0, "maximum": 1.7976931348623157e+308},
      {
        "type": "string",
        "pattern": "^\\+?[0-9._]*[0-9.]([eE][-+]?[0-9]+)?(\\^[-+]?[0-9._]+)?\\s*(Ki|Mi|Gi|Ti|k|K|M|G|T)?$"
      }
    ]
  },
  "count_text": {
    "type": "string",
    "pattern": "^\\+?[0-9._]*[0-9.]([eE][-+]?[0-9]+)?(\\^[-+]?[0-9._]+)?\\s*(Ki|Mi|Gi|Ti|k|K|M|G|T)?$"
  },
  "share": {
    "description": "A share: 0.005 or 0.5%",
    "anyOf": [
      {"type": "number", "minimum": 0, "maximum": 1},
      {"type": "string", "pattern": "^\\+?[0-9._]*[0-9.]([eE][-+]?[0-9]+)?\\s*%?$"}
    ]
  },
  "duration": {
    "description": "A time: 120, 0.5s, 2min, 1h30min, 00:30:00",
    "anyOf": [{"type": "number"}, {"type": "string", "pattern": "^[0-9]"}]
  },
  "expression": {
    "description": "A number, or an expression of parameters and of x.size, x.shape[0], …",
    "type": ["string", "number"]
  },
  "extents": {
    "anyOf": [
      {"$ref": "#/definitions/expression"},
      {
        "type": "array",
        "minItems": 1,
        "maxItems": 3,
        "items": {"$ref": "#/definitions/expression"}
      }
    ]
  },
  "params": {
    "type": "object",
    "minProperties": 1,
    "propertyNames": {"pattern": "^[A-Za-z_][A-Za-z_0-9]*$"},
    "additionalProperties": {
      "if": {"type": "object"},
      "then": {"$ref": "#/definitions/generator"},
      "else": {"$ref": "#/definitions/texts"}
    }
  },
  "input": {
    "description": "A number, or one source",
    "if": {"type": "object"},
    "then": {"anyOf": [], "allOf": []},
    "else": {"$ref": "#/definitions/scalar"}
  },
  "output_buffer": {
    "if": {"type": "object", "required": ["of"]},
    "then": {"$ref": "#/definitions/view"},
    "else": {"$ref": "#/definitions/buffer"}
  },
  "inline_reference": {
    "if": {"type": "object"},
    "then": {"$ref": "#/definitions/inline_reference_source"},
    "else": {"enum": ["none", null]}
  },
  "args": {
    "description": "The kernel's arguments in order: inputs, outputs, parameters, numbers",
    "type": "array",
    "items": {"$ref": "#/definitions/argument"}
  },
  "argument": {
    "if": {"type": "object"},
    "then": {
      "if": {"required": ["scalar"]},
      "then": {"$ref": "#/definitions/scalar_argument"},
      "else": {"$ref": "#/definitions/view"}
    },
    "else": {"$ref": "#/definitions/expression"}
  },
  "inline_variants": {
    "type": "object",
    "minProperties": 1,
    "propertyNames": {"pattern": "^[A-Za-z_][A-Za-z_0-9]*$", "not": {"const": "reference"}},
    "additionalProperties": {"$ref": "#/definitions/inline_variant"}
  },
  "inline_variant": {
    "type": "object",
    "required": ["kind"],
    "properties": {"kind": {"description": "The kernel's style", "enum": []}},
    "allOf": []
  },
  "tune": {
    "allOf": [
      {
        "if": {"properties": {"search": {"enum": ["random", "local", "genetic", "annealing"]}}, "required": ["search"]},
        "then": {"required": ["budget"]}
      },
      {
        "if": {"properties": {"search": {"const": "exhaustive"}}, "required": ["search"]},
        "then": {"properties": {"budget": false}}
      },
      {"if": {"required": ["start_from"]}, "then": {"required": ["budget"]}}
    ]
  },
  "kind_raw": {"oneOf": [{"required": ["source"]}, {"required": ["module"]}]},
  "generator": {"maxProperties": 1},
  "buffer": {"anyOf": [{"required": ["shape"]}, {"required": ["fill"]}]},
  "inline_reference_source": {
    "oneOf": [
      {"required": ["values"]},
      {"required": ["file"]},
      {"required": ["variant"]},
      {"required": ["cpp"]}
    ]
  }
})json";
}

}  // namespace kernelbatch
