#[derive(Default)]
pub struct Sink {}

impl Sink {
    fn write(&self, n: u32) {}
}

pub struct Other {}

impl Other {
    fn write(&self, n: u32) {}
}

impl Default for Other {
    fn default() -> Self {
        Other {}
    }
}

pub fn derived() {
    let mut sink = Sink::default();
    sink.write(1);
}

pub fn written() {
    let mut other = Other::default();
    other.write(1);
}
