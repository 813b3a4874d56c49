; The captures are explained in extractor.py.

[
  (class_declaration name: (_) @name)
  (struct_declaration name: (_) @name)
  (record_declaration name: (_) @name)
  (enum_declaration name: (_) @name)
  (interface_declaration name: (_) @name)
] @class
(class_declaration (base_list (_) @base)) @heir
(record_declaration (base_list (_) @base)) @heir
(interface_declaration (base_list (_) @base)) @heir

(method_declaration returns: (_) @returns name: (_) @name) @function
(local_function_statement type: (_) @returns name: (_) @name) @function
(constructor_declaration) @constructor

(method_declaration
  (attribute_list (attribute name: (_) @mark))
  (#match? @mark "(Fact|Theory|Test|TestCase|TestMethod|DataTestMethod)$")) @test

(parameter type: (_) @type name: (_) @name) @parameter
(property_declaration type: (_) @type name: (_) @name) @field
(field_declaration (variable_declaration type: (_) @type (variable_declarator name: (_) @name))) @field
(local_declaration_statement
  (variable_declaration type: (_) @type (variable_declarator name: (_) @name))) @variable
(local_declaration_statement
  (variable_declaration (variable_declarator name: (_) @name (object_creation_expression type: (_) @type)))) @variable
(foreach_statement type: (_) @type left: (identifier) @name) @variable

(invocation_expression function: (identifier) @called) @call
(invocation_expression function: (generic_name (identifier) @called)) @call
(invocation_expression
  function: (member_access_expression
    expression: _ @receiver
    name: [(identifier) @called (generic_name (identifier) @called)])) @call
(invocation_expression
  function: (conditional_access_expression
    condition: (_) @receiver
    (member_binding_expression name: (identifier) @called))) @call
(object_creation_expression type: (_) @made) @call
