//! Modules inside of a file see their own names.

mod inner {
    fn price(of: &str) -> u32 {
        of.len() as u32
    }

    #[test]
    fn prices_add_up() {
        assert_eq!(price("a"), price("b"));
    }
}
