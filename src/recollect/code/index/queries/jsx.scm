; A component that is rendered is used; elements of HTML are neither defined nor imported.
(jsx_opening_element name: [(identifier) (member_expression)] @reference.use)
(jsx_self_closing_element name: [(identifier) (member_expression)] @reference.use)
(jsx_expression (identifier) @reference.use)
