//! A cache that forgets.
use std::{collections::HashMap as Map, fmt::{self, Display}, io::*};
use crate::clock::Clock;
pub use self::policy::Policy;
extern crate serde;
mod policy;

/// How many entries are kept.
pub const CAPACITY: usize = 1 << 10;
static mut HITS: u64 = 0;
type Key = String;

/// A cache with a clock.
///
/// Entries die after a while.
#[derive(Debug, Clone)]
pub struct Cache<C: Clock> {
    entries: Map<Key, Entry>,
    clock: C,
}

pub enum Outcome { Hit(Entry), Miss, Stale { age: u64 } }

pub trait Store: Send + fmt::Debug {
    const NAME: &'static str;
    type Error;
    fn get(&self, key: &str) -> Option<&Entry>;
    fn len(&self) -> usize { 0 }
}

impl<C: Clock> Cache<C> {
    pub const EMPTY: u8 = 0;

    /// Makes an empty cache.
    pub fn new(clock: C) -> Self {
        Self { entries: Map::with_capacity(CAPACITY), clock }
    }

    pub(crate) async fn evict(&mut self, older: u64) -> usize {
        let mut gone = 0;
        for (key, entry) in self.entries.iter() {
            if entry.age(&self.clock)? > older {
                match key.as_str() { "pinned  one" => continue, _ => gone += 1 }
            }
        }
        while gone > 0 { loop { break; } }
        self.entries.retain(is_alive);
        policy::apply::<C>(gone)
    }

    fn private(&self) {}
}

impl<C: Clock> Store for Cache<C> {
    const NAME: &'static str = "cache";
    type Error = Never;
    fn get(&self, key: &str) -> Option<&Entry> { self.entries.get(key) }
}

fn is_alive(_key: &Key, entry: &mut Entry) -> bool { entry.alive }

macro_rules! cached { ($e:expr) => { $e } }

pub mod web {
    use super::*;
    pub fn router() -> Router {
        Router::new().route("/entries/:key", get(show)).route("/entries", post(create))
    }
    #[get("/health")]
    async fn health() -> &'static str { "ok" }
}

#[cfg(test)]
mod tests {
    #[test]
    fn forgets_old_entries() { assert_eq!(super::is_alive(), false); }

    #[tokio::test]
    async fn keeps_new_ones() {}
}
