package dev.colony.blackboard;

import static dev.colony.blackboard.Contract.get;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.lifecycle.AfterProperty;
import net.jqwik.api.lifecycle.BeforeProperty;

/**
 * What holds for any entries, queries and filters, on every backend. Each try works in a scope of
 * its own.
 */
public abstract class BoardProperties {

  private static final int TRIES = 60;

  private Blackboards blackboards;

  /** The backend under test. */
  protected abstract Blackboards connect();

  /** Ends what {@link #connect} needed, after the backend is closed. */
  protected void disconnect() {}

  @BeforeProperty
  void open() {
    blackboards = connect();
  }

  @AfterProperty
  void close() {
    blackboards.close();
    disconnect();
  }

  private static Scope anew() {
    return Scope.session("t" + UUID.randomUUID(), "c", "s");
  }

  /** All entries, in the words of the model. */
  public static List<String> entries(Blackboard board) {
    return get(board.query(Query.all())).entries().stream()
        .map(entry ->
            BoardModel.brief(entry.key(), entry.version(), entry.value().asText(), entry.tags()))
        .toList();
  }

  /** All stored events, in the words of the model. */
  public static List<String> events(Blackboard board) {
    return Contract.history(board).stream().map(Contract::brief).toList();
  }

  @Property(tries = TRIES)
  void backendDoesWhatTheModelDoes(@ForAll("steps") List<BoardStep> steps) {
    Blackboard board = blackboards.open(anew(), "w");
    BoardModel model = new BoardModel(Optional.empty());
    for (BoardStep step : steps) {
      assertThat(step.on(board)).isEqualTo(step.on(model, Instant.EPOCH));
    }
    assertThat(entries(board)).isEqualTo(model.entries());
    assertThat(events(board)).isEqualTo(model.events());
  }

  @Provide
  Arbitrary<List<BoardStep>> steps() {
    return BoardStep.any().list().ofMaxSize(25);
  }

  @Property(tries = TRIES)
  void pagesOfAQueryTogetherAreAllThatMatches(
      @ForAll("entries") List<Write> writes,
      @ForAll("queries") Query query,
      @ForAll @IntRange(min = 1, max = 5) int limit) {
    Blackboard board = blackboards.open(anew(), "w");
    writes.forEach(write -> get(board.write(write)));
    List<String> matching =
        get(board.query(Query.all())).entries().stream()
            .filter(entry -> matches(query, entry.key(), entry.tags()))
            .map(Entry::key)
            .toList();
    assertThat(QueryContract.allPages(board, query.limit(limit))).isEqualTo(matching);
  }

  private static boolean matches(Query query, String key, Set<String> tags) {
    return query.keys().matches(key)
        && tags.containsAll(query.allTags())
        && (query.anyTags().isEmpty() || query.anyTags().stream().anyMatch(tags::contains))
        && query.noTags().stream().noneMatch(tags::contains);
  }

  @Provide
  Arbitrary<List<Write>> entries() {
    Arbitrary<String> keys =
        Arbitraries.of("a", "b", ":", "z", "日", "\uff5a", "🎈")
            .list()
            .ofMinSize(1)
            .ofMaxSize(3)
            .map(parts -> String.join("", parts));
    return Combinators.combine(keys, Arbitraries.of(EventFilters.TAGS).set())
        .as((key, tags) -> Contract.text(key, "").tags(tags.toArray(String[]::new)))
        .list()
        .ofMaxSize(25);
  }

  @Provide
  Arbitrary<Query> queries() {
    Arbitrary<String> globs =
        Arbitraries.strings().withChars("ab:*?日").ofMinLength(1).ofMaxLength(4);
    Arbitrary<Set<String>> tags = Arbitraries.of(EventFilters.TAGS).set().ofMaxSize(2);
    return Combinators.combine(
            Arbitraries.frequencyOf(Tuple.of(2, Arbitraries.just("*")), Tuple.of(3, globs)),
            tags,
            tags,
            tags)
        .as((glob, all, any, none) ->
            Query.keys(glob)
                .allTags(all.toArray(String[]::new))
                .anyTags(any.toArray(String[]::new))
                .noTags(none.toArray(String[]::new)));
  }

  @Property(tries = TRIES)
  void historyIsWhatTheFilterLetsPass(
      @ForAll("writers") List<String> writers,
      @ForAll("filtered") List<Write> writes,
      @ForAll("filters") EventFilter filter) {
    Scope scope = anew();
    for (int i = 0; i < writes.size(); i++) {
      Blackboard board = blackboards.open(scope, writers.get(i % writers.size()));
      get(board.write(writes.get(i)));
      if (i % 3 == 2) {
        get(board.delete(writes.get(i - 1).key()));
      }
    }
    Blackboard board = blackboards.open(scope, "observer");
    List<BlackboardEvent> passing =
        Contract.history(board).stream()
            .filter(event ->
                event instanceof BlackboardEvent.OfEntry one
                    && EventFilters.holds(filter, one.type(), one.key(), one.writer(), one.tags()))
            .toList();
    assertThat(get(board.history(filter, Position.BEGINNING, 1_000))).isEqualTo(passing);
  }

  @Provide
  Arbitrary<List<String>> writers() {
    return Arbitraries.of(EventFilters.WRITERS).list().ofMinSize(1).ofMaxSize(4);
  }

  @Provide
  Arbitrary<List<Write>> filtered() {
    return Combinators.combine(
            Arbitraries.of(EventFilters.KEYS), Arbitraries.of(EventFilters.TAGS).set())
        .as((key, tags) -> Contract.text(key, "").tags(tags.toArray(String[]::new)))
        .list()
        .ofMaxSize(15);
  }

  @Provide
  Arbitrary<EventFilter> filters() {
    return EventFilters.any();
  }
}
