package dev.colony.blackboard.history;

import java.util.List;
import java.util.stream.Stream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Tuple;

/** Random programs for several threads on very few keys. */
final class Programs {

  private static final Arbitrary<String> KEY = Arbitraries.of("a", "b", "c", "brief");

  private Programs() {}

  /** For each thread, one program after the other. */
  static Arbitrary<List<List<Program>>> threads() {
    return program().list().ofMinSize(1).ofMaxSize(4).list().ofMinSize(2).ofMaxSize(6);
  }

  private static Arbitrary<Program> program() {
    return Arbitraries.frequencyOf(
        Tuple.of(8, transaction(steps())),
        Tuple.of(2, transaction(reads().list().ofMinSize(2).ofMaxSize(4))),
        Tuple.of(1, transaction(aborted())),
        Tuple.of(3, plain()));
  }

  private static Arbitrary<Program> transaction(Arbitrary<List<Step>> steps) {
    return steps.map(list -> new Program(true, list));
  }

  private static Arbitrary<Program> plain() {
    return step().list().ofSize(1).map(list -> new Program(false, list));
  }

  /** Begins with a read, so that most transactions can meet a conflict. */
  private static Arbitrary<List<Step>> steps() {
    return Combinators.combine(reads(), step().list().ofMinSize(1).ofMaxSize(4)).as(Programs::then);
  }

  private static Arbitrary<List<Step>> aborted() {
    return steps().map(list -> append(list, new Step.Abort()));
  }

  private static Arbitrary<Step> step() {
    return Arbitraries.frequencyOf(
        Tuple.of(3, reads()),
        Tuple.of(4, keys().map(Step.Put::new)),
        Tuple.of(2, KEY.map(Step.Remove::new)));
  }

  private static Arbitrary<Step> reads() {
    return keys().map(Step.Read::new);
  }

  private static Arbitrary<List<String>> keys() {
    return KEY.list().uniqueElements().ofMinSize(1).ofMaxSize(2);
  }

  private static List<Step> then(Step first, List<Step> rest) {
    return Stream.concat(Stream.of(first), rest.stream()).toList();
  }

  private static List<Step> append(List<Step> steps, Step last) {
    return Stream.concat(steps.stream(), Stream.of(last)).toList();
  }
}
