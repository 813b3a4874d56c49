; The captures are explained in extractor.py.

[
  (struct_item name: (_) @name)
  (enum_item name: (_) @name)
  (union_item name: (_) @name)
  (trait_item name: (_) @name)
] @class

(impl_item type: [(type_identifier) @name (generic_type type: (_) @name)]) @extension

(function_item name: (_) @name return_type: (_)? @returns) @function
(function_signature_item name: (_) @name return_type: (_)? @returns) @function
(macro_definition name: (_) @name) @function

; Never `*` between siblings: a file of attributes alone would take hours.
(
  (attribute_item (attribute) @mark)
  .
  (function_item) @test
  (#match? @mark "^(test|rstest|test_case|\\w+::test)\\b")
)
(
  (attribute_item (attribute) @mark)
  .
  (attribute_item)
  .
  (function_item) @test
  (#match? @mark "^(test|rstest|test_case|\\w+::test)\\b")
)

(parameter pattern: (identifier) @name type: (_) @type) @parameter
(field_declaration name: (_) @name type: (_) @type) @field
(let_declaration pattern: (identifier) @name type: (_) @type) @variable
(let_declaration pattern: (identifier) @name value: (struct_expression name: (_) @type)) @variable
(let_declaration
  pattern: (identifier) @name
  value: (call_expression function: (scoped_identifier path: (_) @receiver name: (_) @called))) @variable

(call_expression function: (identifier) @called) @call
(call_expression function: (field_expression value: (_) @receiver field: (_) @called)) @call
(call_expression function: (scoped_identifier path: (_) @receiver name: (_) @called)) @call
(call_expression function: (generic_function function: (identifier) @called)) @call
(call_expression
  function: (generic_function function: (field_expression value: (_) @receiver field: (_) @called))) @call
(call_expression
  function: (generic_function function: (scoped_identifier path: (_) @receiver name: (_) @called))) @call
(struct_expression name: (_) @made) @call

(use_declaration argument: (_) @import)
