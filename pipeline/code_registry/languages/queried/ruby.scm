; The captures are explained in extractor.py.

(class name: [(constant) @name (scope_resolution name: (_) @name)]) @class
(module name: [(constant) @name (scope_resolution name: (_) @name)]) @class
(class superclass: (superclass (_) @base)) @heir
(class
  body: (body_statement
    (call method: (identifier) @mixin arguments: (argument_list [(constant) (scope_resolution)] @base)))
  (#any-of? @mixin "include" "extend" "prepend")) @heir

(method name: (_) @name) @function
(singleton_method name: (_) @name) @function

(method_parameters (identifier) @name @parameter)
(method_parameters (optional_parameter name: (_) @name) @parameter)
(method_parameters (keyword_parameter name: (_) @name) @parameter)
(assignment
  left: (identifier) @name
  right: (call receiver: [(constant) (scope_resolution)] @type method: (identifier) @new)
  (#eq? @new "new")) @variable
(assignment left: (identifier) @name) @variable
(assignment
  left: (instance_variable) @name
  right: (call receiver: [(constant) (scope_resolution)] @type method: (identifier) @new)
  (#eq? @new "new")) @field

(call !receiver method: (_) @called) @call
(call receiver: (_) @receiver method: (_) @called) @call
(body_statement (identifier) @called @call)
(call
  receiver: [(constant) (scope_resolution)] @made
  method: (identifier) @new
  (#eq? @new "new")) @call
