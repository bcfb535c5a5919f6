"""Java's library: what its methods do with the functions and objects they are given.

    list.forEach(f)       f.accept(item)          calls f with what the list holds
    stream.map(f)         f.apply(item) → [made   a new stream that holds what f returns
    map.put(key, value)   puts 1 under key 0
    optional.orElse(x)    gives item|0

A row says it in words:
  item      what the receiver holds            self      the receiver
  0, 1, -1  an argument, from the left or the last
  items0    what argument 0 holds              args      all arguments
  made      what the called functions returned; mades: what that holds
  a|b       one of both                        [a        a new container that holds a
  ?         a value that is not followed

Collections, streams, futures, threads and references are all one thing here: something that holds values. A family says
which rows apply; what a row gives belongs to the family after the arrow.
"""

from __future__ import annotations

from typing import NamedTuple


class Row(NamedTuple):
    """The effects of a method: calls (which argument, method, inputs), stores and returns."""

    calls: tuple[tuple[str, str, tuple[str, ...]], ...] = ()
    puts: str = ""
    gives: str = ""
    family: str = ""
    keyed: bool = False  # argument 0 is the key of what is put or given


def _row(written: str) -> Row:
    """Return a row from `0.apply(item), 1.run(); puts made; gives [made → Stream; keyed`."""
    calls: list[tuple[str, str, tuple[str, ...]]] = []
    puts = gives = family = ""
    keyed = False
    for part in filter(None, (each.strip() for each in written.split(";"))):
        if part == "keyed":
            keyed = True
        elif part.startswith("puts "):
            puts = part[5:]
        elif part.startswith("gives "):
            gives, _, family = part[6:].partition(" → ")
        else:
            for call in part.split("),"):
                callee, _, inputs = call.strip().rstrip(")").partition("(")
                which, _, method = callee.partition(".")
                calls.append((which, method, tuple(filter(None, inputs.replace(" ", "").split(",")))))
    return Row(tuple(calls), puts, gives, family, keyed)


def _rows(*written: tuple[str, str]) -> dict[str, Row]:
    return {name: _row(does) for names, does in written for name in names.split()}


COLLECTION = _rows(
    ("add addFirst addLast addElement offer offerFirst offerLast push put set", "puts -1; gives item"),
    ("addAll", "puts items-1"),
    ("get remove poll pollFirst pollLast peek peekFirst peekLast pop getFirst getLast element take", "gives item"),
    ("first last removeFirst removeLast next previous nextElement elementAt firstElement lastElement", "gives item"),
    ("ceiling floor higher lower", "gives item"),
    ("iterator listIterator descendingIterator elements spliterator", "gives self → Iterator"),
    ("subList reversed headSet tailSet subSet descendingSet clone", "gives self → List"),
    ("toArray", "gives self → []"),
    ("stream parallelStream", "gives self → Stream"),
    ("forEach forEachRemaining", "0.accept(item)"),
    ("removeIf", "0.test(item)"),
    ("replaceAll", "0.apply(item); puts made"),
    ("sort", "0.compare(item, item)"),
)

MAP = _rows(
    ("put putIfAbsent replace", "puts 1; gives item; keyed"),
    ("putAll", "puts items0"),
    ("get remove", "gives item; keyed"),
    ("getOrDefault", "gives item|1; keyed"),
    ("values", "gives self → Collection"),
    ("entrySet", "gives [self → Entries"),
    ("firstEntry lastEntry floorEntry ceilingEntry higherEntry lowerEntry pollFirstEntry", "gives self → Map.Entry"),
    ("headMap tailMap subMap descendingMap", "gives self → Map"),
    ("forEach", "0.accept(?, item)"),
    ("computeIfAbsent", "1.apply(0); puts made; gives item|made"),
    ("compute computeIfPresent", "1.apply(0, item); puts made; gives item|made"),
    ("merge", "2.apply(item, 1); puts 1|made; gives item|made"),
    ("replaceAll", "0.apply(?, item); puts made"),
)

ENTRY = _rows(("getValue", "gives item"), ("setValue", "puts 0; gives item"))

OPTIONAL = _rows(
    ("get orElseThrow", "0.get(); gives item"),
    ("orElse", "gives item|0"),
    ("orElseGet", "0.get(); gives item|made"),
    ("map", "0.apply(item); gives [made → Optional"),
    ("flatMap", "0.apply(item); gives made → Optional"),
    ("filter", "0.test(item); gives self → Optional"),
    ("ifPresent", "0.accept(item)"),
    ("ifPresentOrElse", "0.accept(item), 1.run()"),
    ("or", "0.get(); gives self|made → Optional"),
    ("stream", "gives self → Stream"),
)

STREAM = _rows(
    ("map mapToObj", "0.apply(item); gives [made → Stream"),
    ("mapToInt", "0.applyAsInt(item); gives [? → Stream"),
    ("mapToLong", "0.applyAsLong(item); gives [? → Stream"),
    ("mapToDouble", "0.applyAsDouble(item); gives [? → Stream"),
    ("flatMap", "0.apply(item); gives [mades → Stream"),
    ("mapMulti", "0.accept(item); gives [? → Stream"),
    ("filter takeWhile dropWhile", "0.test(item); gives self → Stream"),
    ("peek", "0.accept(item); gives self → Stream"),
    ("sorted", "0.compare(item, item); gives self → Stream"),
    ("distinct limit skip parallel sequential unordered boxed asLongStream", "gives self → Stream"),
    ("onClose", "0.run(); gives self → Stream"),
    ("forEach forEachOrdered", "0.accept(item)"),
    ("anyMatch allMatch noneMatch", "0.test(item)"),
    ("min max", "0.compare(item, item); gives self → Optional"),
    ("findFirst findAny", "gives self → Optional"),
    ("reduce", "-1.apply(item, item); gives [item|made → Optional"),
    ("collect toList", "gives self → List"),
    ("toArray", "gives self → []"),
    ("iterator", "gives self → Iterator"),
)

FUTURE = _rows(
    ("thenApply thenApplyAsync", "0.apply(item); gives [made → CompletableFuture"),
    ("thenAccept thenAcceptAsync", "0.accept(item); gives [? → CompletableFuture"),
    ("thenRun thenRunAsync", "0.run(); gives [? → CompletableFuture"),
    ("thenCompose thenComposeAsync", "0.apply(item); gives made → CompletableFuture"),
    ("thenCombine thenCombineAsync", "1.apply(item, items0); gives [made → CompletableFuture"),
    ("thenAcceptBoth", "1.accept(item, items0); gives [? → CompletableFuture"),
    ("exceptionally", "0.apply(?); gives [item|made → CompletableFuture"),
    ("handle handleAsync", "0.apply(item, ?); gives [made → CompletableFuture"),
    ("whenComplete whenCompleteAsync", "0.accept(item, ?); gives self → CompletableFuture"),
    ("join get getNow resultNow", "gives item"),
    ("complete", "puts 0"),
)

EXECUTOR = _rows(
    ("execute", "0.run()"),
    ("submit schedule", "0.run(), 0.call(); gives [made → Future"),
    ("scheduleAtFixedRate scheduleWithFixedDelay", "0.run(); gives [? → Future"),
    ("invokeAll", "items0.call(); gives [? → List"),
    ("invokeAny", "items0.call(); gives made"),
)

THREAD = _rows(("start run", "item.run(), self.run()"))
TIMER = _rows(("schedule scheduleAtFixedRate", "0.run()"))
RUNTIME = _rows(("addShutdownHook", "items0.run(), 0.run()"))

REFERENCE = _rows(
    ("get getPlain getAcquire getOpaque", "gives item"),
    ("set lazySet setPlain", "puts 0"),
    ("getAndSet", "puts 0; gives item"),
    ("compareAndSet weakCompareAndSet", "puts 1"),
    ("updateAndGet getAndUpdate", "0.apply(item); puts made; gives item|made"),
    ("accumulateAndGet getAndAccumulate", "1.apply(item, 0); puts made; gives item|made"),
)

# A composed function is either of its parts here: a call calls both with the same arguments.
FUNCTION = _rows(
    ("andThen compose and or thenComparing", "gives self|0 → Function"),
    ("negate reversed", "gives self → Function"),
)

# Methods of classes themselves; a name without a class is a constructor.
STATIC = _rows(
    ("List.of Set.of Arrays.asList EnumSet.of Collections.singletonList", "gives [args → List"),
    ("Stream.of", "gives [args → Stream"),
    ("List.copyOf Set.copyOf Collections.list", "gives [items0 → List"),
    ("Collections.unmodifiableList Collections.synchronizedList Collections.unmodifiableSet", "gives 0 → List"),
    ("Collections.unmodifiableCollection Collections.synchronizedSet", "gives 0 → List"),
    ("Collections.unmodifiableMap Collections.synchronizedMap Map.copyOf", "gives 0 → Map"),
    ("Collections.addAll", "puts -1"),
    ("Collections.sort", "1.compare(items0, items0), items0.compareTo(items0)"),
    ("Collections.max Collections.min", "1.compare(items0, items0), items0.compareTo(items0); gives items0"),
    ("Arrays.sort Arrays.parallelSort", "-1.compare(items0, items0), items0.compareTo(items0)"),
    ("Arrays.stream StreamSupport.stream", "gives 0 → Stream"),
    ("Arrays.copyOf Arrays.copyOfRange", "gives 0 → []"),
    ("Arrays.fill", "puts -1"),
    ("Arrays.setAll", "1.apply(?)"),
    ("Stream.iterate", "-1.apply(0); gives [0|made → Stream"),
    ("Stream.generate", "0.get(); gives [made → Stream"),
    ("Stream.concat", "gives [items0|items1 → Stream"),
    ("Stream.empty IntStream.range IntStream.rangeClosed IntStream.of LongStream.range", "gives [? → Stream"),
    ("IntStream.iterate", "-1.applyAsInt(?); gives [? → Stream"),
    ("Optional.of Optional.ofNullable", "gives [0 → Optional"),
    ("Optional.empty", "gives [? → Optional"),
    ("Objects.requireNonNull", "gives 0"),
    ("Objects.requireNonNullElse", "gives 0|1"),
    ("Objects.requireNonNullElseGet", "1.get(); gives 0|made"),
    ("Map.entry", "gives [1 → Map.Entry"),
    ("CompletableFuture.supplyAsync", "0.get(); gives [made → CompletableFuture"),
    ("CompletableFuture.runAsync", "0.run(); gives [? → CompletableFuture"),
    ("CompletableFuture.completedFuture", "gives [0 → CompletableFuture"),
    ("ThreadLocal.withInitial", "0.get(); gives [made → ThreadLocal"),
    ("Thread.startVirtualThread", "0.run(); gives [0 → Thread"),
    ("SwingUtilities.invokeLater SwingUtilities.invokeAndWait EventQueue.invokeLater Platform.runLater", "0.run()"),
    ("AccessController.doPrivileged", "0.run(); gives made"),
    ("Function.identity UnaryOperator.identity", "gives ?"),
    # A comparator made of a function calls it with what is compared.
    (
        "Comparator.comparing Comparator.comparingInt Comparator.comparingLong Comparator.comparingDouble",
        "gives 0 → Function",
    ),
    ("Comparator.nullsFirst Comparator.nullsLast Collections.reverseOrder Predicate.not", "gives 0 → Function"),
    # A collector's functions are called with what is collected.
    ("Collectors.groupingBy Collectors.partitioningBy Collectors.mapping", "0.apply(item)"),
    ("Collectors.toMap", "0.apply(item), 1.apply(item)"),
    ("Collectors.filtering", "0.test(item)"),
    ("Collectors.summingInt Collectors.averagingInt", "0.applyAsInt(item)"),
    ("Collectors.summingDouble Collectors.averagingDouble", "0.applyAsDouble(item)"),
    ("Collectors.summingLong Collectors.averagingLong", "0.applyAsLong(item)"),
    ("Collectors.reducing", "-1.apply(item, item)"),
    ("Collectors.minBy Collectors.maxBy", "0.compare(item, item)"),
    ("Thread", "gives [0 → Thread"),
    ("AtomicReference SoftReference WeakReference PhantomReference", "gives [0 → AtomicReference"),
    ("ThreadLocal CompletableFuture", "gives [? → CompletableFuture"),
    ("ArrayList LinkedList Vector Stack ArrayDeque CopyOnWriteArrayList HashSet LinkedHashSet", "gives [items0 → List"),
    ("LinkedBlockingQueue ArrayBlockingQueue ConcurrentLinkedQueue ConcurrentLinkedDeque", "gives [items0 → List"),
    ("TreeSet PriorityQueue PriorityBlockingQueue", "0.compare(held, held); gives [items0 → List"),
    ("HashMap LinkedHashMap ConcurrentHashMap WeakHashMap IdentityHashMap Hashtable EnumMap", "gives [items0 → Map"),
    ("TreeMap ConcurrentSkipListMap", "0.compare(?, ?); gives [items0 → Map"),
)  # fmt: skip


def _named(rows: dict[str, Row], names: str) -> dict[str, dict[str, Row]]:
    return dict.fromkeys(names.split(), rows)


FAMILIES: dict[str, dict[str, Row]] = {
    **_named(
        COLLECTION,
        "Collection List ArrayList LinkedList Vector Stack Set HashSet LinkedHashSet TreeSet SortedSet NavigableSet "
        "Queue Deque ArrayDeque PriorityQueue BlockingQueue BlockingDeque LinkedBlockingQueue ArrayBlockingQueue "
        "Iterable Iterator ListIterator Enumeration CopyOnWriteArrayList CopyOnWriteArraySet ConcurrentLinkedQueue "
        "ConcurrentLinkedDeque SequencedCollection Entries EnumSet LinkedBlockingDeque PriorityBlockingQueue",
    ),
    **_named(
        MAP,
        "Map HashMap LinkedHashMap TreeMap SortedMap NavigableMap ConcurrentMap ConcurrentHashMap WeakHashMap EnumMap "
        "Hashtable IdentityHashMap ConcurrentSkipListMap",
    ),
    **_named(ENTRY, "Map.Entry Entry"),
    **_named(OPTIONAL, "Optional OptionalInt OptionalDouble"),
    **_named(STREAM, "Stream IntStream LongStream DoubleStream"),
    **_named(FUTURE, "CompletableFuture CompletionStage Future ScheduledFuture"),
    **_named(EXECUTOR, "Executor ExecutorService ScheduledExecutorService ForkJoinPool ThreadPoolExecutor"),
    **_named(THREAD, "Thread"),
    **_named(TIMER, "Timer"),
    **_named(RUNTIME, "Runtime"),
    **_named(REFERENCE, "AtomicReference ThreadLocal SoftReference WeakReference"),
    **_named(FUNCTION, "Function BiFunction Predicate BiPredicate Consumer BiConsumer UnaryOperator Comparator"),
}

# What a call on an instance of a class that extends one of the library's calls on that instance.
INHERITED: dict[str, dict[str, str]] = {
    "Thread": {"start": "run"},
    "TimerTask": {},
    "RecursiveTask": {"fork": "compute", "invoke": "compute"},
    "RecursiveAction": {"fork": "compute", "invoke": "compute"},
    "SwingWorker": {"execute": "doInBackground"},
}

# The types that a function of the library takes, as places among its type arguments.
TAKES: dict[str, tuple[int, ...]] = {
    "Function": (0,), "BiFunction": (0, 1), "Consumer": (0,), "BiConsumer": (0, 1), "Predicate": (0,),
    "BiPredicate": (0, 1), "UnaryOperator": (0,), "BinaryOperator": (0, 0), "Comparator": (0, 0), "ToIntFunction": (0,),
    "ToLongFunction": (0,), "ToDoubleFunction": (0,), "ToIntBiFunction": (0, 1),
}  # fmt: skip

# The one method of an interface of the library: what a function that is one is called by.
FUNCTIONS = frozenset(TAKES) | frozenset(
    "Supplier Runnable Callable IntFunction IntPredicate IntConsumer IntSupplier IntUnaryOperator IntBinaryOperator "
    "BooleanSupplier DoubleSupplier LongSupplier DoubleUnaryOperator ObjIntConsumer".split()
)

# No class of a program is meant by these names, unless it declares or imports one.
PLAIN = frozenset(
    "byte short int long char float double boolean Byte Short Integer Long Character Float Double Boolean String "
    "Object Number CharSequence Void void StringBuilder BigDecimal BigInteger Class Method Field Constructor "
    "MethodHandle MethodType Throwable Exception RuntimeException Error".split()
)

# Nothing of a program is ever held by a variable of these: what is in it need not be followed.
FINAL = frozenset(
    "byte short int long char float double boolean Byte Short Integer Long Character Float Double Boolean String "
    "StringBuilder BigDecimal BigInteger void Void".split()
)
