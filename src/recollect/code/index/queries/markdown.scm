(section (atx_heading heading_content: (inline) @name)) @definition.module
(setext_heading heading_content: (paragraph (inline) @name)) @definition.module
