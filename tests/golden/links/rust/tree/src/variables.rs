pub struct Queue;
pub struct Stack;

impl Queue {
    pub fn push(&self) {}
}

impl Stack {
    pub fn push(&self) {}
}

pub fn declared(found: Vec<i32>) {
    let queue: Queue = convert(found);
    queue.push();
}

pub fn taken() {
    apply(|queue: &Queue| queue.push());
}

impl Queue {
    pub fn open() -> Result<Self, String> { Ok(Queue) }
    pub fn filled(&mut self) -> &mut Self { self }
}

pub fn chained() {
    let queue = crate::variables::Queue::open()
        .unwrap()
        .filled();
    queue.push();
}
