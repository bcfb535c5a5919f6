pub struct Part;

impl Part {
    pub fn new(name: &str) -> Self {
        Part
    }

    pub fn required(self, is_required: bool) -> Self {
        self
    }
}

pub struct Builder;

impl Builder {
    pub fn new(name: &str) -> Self {
        Builder
    }

    pub fn version(self, version: &str) -> Builder {
        self
    }

    pub fn part(self, part: impl Into<Part>) -> Self {
        self
    }

    pub fn build(self) -> usize {
        1
    }
}

pub struct Other;

impl Other {
    pub fn build(self) -> usize {
        2
    }
}

fn assembled() -> usize {
    Builder::new("a name that makes the chain longer than a receiver")
        .version("1.0")
        .part(Part::new("first").required(true))
        .part(
            Part::new("second")
                .required(false),
        )
        .build()
}
