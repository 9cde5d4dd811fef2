package dev.colony.blackboard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Times to live: no caller sees an expired entry, and it has its event. */
abstract class ExpiryContract extends Contract {

  private static final Duration SOON = Duration.ofMillis(40);
  private static final Duration LATE = Duration.ofHours(1);

  ExpiryContract(BlackboardContract backend) {
    super(backend);
  }

  /** No sweep looks for expired entries there: what goes, goes when it is touched. */
  private Blackboard unswept() {
    return blackboards(BlackboardSettings.DEFAULTS.withExpiryInterval(LATE)).open(scope, "w");
  }

  private Blackboard swept() {
    return blackboards(BlackboardSettings.DEFAULTS.withExpiryInterval(Duration.ofMillis(20)))
        .open(scope, "w");
  }

  private static void awaitGone(Blackboard board, String key) {
    await().until(() -> get(board.read(key)).isEmpty());
  }

  @Test
  void expiredEntryIsNeverVisible() {
    Blackboard board = unswept();
    written(board.write(text("gone", "x").tags("t").ttl(SOON)), 1);
    written(board.write(text("stays", "x").tags("t").ttl(LATE)), 1);
    awaitGone(board, "gone");

    assertThat(get(board.readAll(List.of("gone", "stays"))))
        .extracting(Entry::key)
        .containsExactly("stays");
    assertThat(keys(board, Query.all())).containsExactly("stays");
    assertThat(keys(board, Query.all().allTags("t"))).containsExactly("stays");
    assertThat(keys(board, Query.all().limit(1))).doesNotContain("gone");
    assertThat(get(board.<Boolean>transaction(tx -> tx.read("gone").thenApply(e -> e.isEmpty()))))
        .isTrue();
    assertThat(get(board.write(text("gone", "y").expectVersion(1))))
        .isEqualTo(new WriteResult.VersionConflict(0));
    written(board.write(text("gone", "y").ifAbsent()), 1);
    Entry anew = get(board.read("gone")).orElseThrow();
    assertThat(anew.expiresAt()).isEmpty();
    assertThat(anew.tags()).isEmpty();
    assertThat(keys(board, Query.all())).containsExactly("gone", "stays");
    assertThat(keys(board, Query.all().allTags("t"))).containsExactly("stays");
  }

  @Test
  void writerOfAnExpiredEntryStoresItsEventFirst() {
    Blackboards blackboards = blackboards(BlackboardSettings.DEFAULTS.withExpiryInterval(LATE));
    Blackboard board = blackboards.open(scope, "former");
    written(board.write(text("k", "1").ttl(SOON)), 1);
    awaitGone(board, "k");
    written(blackboards.open(scope, "latter").write(text("k", "2")), 1);
    assertThat(history(board))
        .extracting(Contract::brief)
        .containsExactly("WRITTEN k 0", "EXPIRED k 1", "WRITTEN k 0");
    assertThat(history(board))
        .extracting(BlackboardEvent::writer)
        .containsExactly("former", "former", "latter");
  }

  @Test
  void expiredEntryCannotBeDeletedButHasItsEvent() {
    Blackboard board = unswept();
    written(board.write(text("k", "1").ttl(SOON)), 1);
    awaitGone(board, "k");
    assertThat(get(board.delete("k"))).isFalse();
    assertThat(history(board))
        .extracting(Contract::brief)
        .containsExactly("WRITTEN k 0", "EXPIRED k 1");
  }

  @Test
  void clearingDoesNotCountTheExpired() {
    Blackboard board = unswept();
    written(board.write(text("gone", "").ttl(SOON)), 1);
    writeKeys(board, "stays");
    awaitGone(board, "gone");
    assertThat(get(board.clear())).isEqualTo(1);
    assertThat(history(board).getLast())
        .isInstanceOfSatisfying(
            BlackboardEvent.Cleared.class, event -> assertThat(event.entries()).isEqualTo(1));
    assertThat(get(board.statistics()).entries()).isZero();
  }

  @Test
  void expiryIsToldByItselfAndOnce() {
    Blackboard board = swept();
    Recorder events = Recorder.eager().to(board.subscribe("*", SubscribeFrom.now()));
    Recorder expiries =
        Recorder.eager()
            .to(board.subscribe(EventFilter.types(EventType.EXPIRED), SubscribeFrom.now()));
    Position position = written(board.write(text("k", "1").tags("t").ttl(Duration.ofDays(1))), 1);
    position = written(board.write(text("k", "2").tags("u").ttl(SOON)), 2);
    Instant due = get(board.read("k")).map(entry -> entry.expiresAt().orElseThrow()).orElseThrow();

    // No caller touches the entry meanwhile.
    BlackboardEvent last = events.awaitCount(3).events().getLast();
    assertThat(last)
        .isInstanceOfSatisfying(
            BlackboardEvent.Expired.class,
            event -> {
              assertThat(event.scope()).isEqualTo(scope);
              assertThat(event.key()).isEqualTo("k");
              assertThat(event.writer()).isEqualTo("w");
              assertThat(event.oldVersion()).isEqualTo(2);
              assertThat(event.version()).isZero();
              assertThat(event.tags()).isEqualTo(Set.of("u"));
              assertThat(event.at()).isAfterOrEqualTo(due);
              assertThat(event.type()).isEqualTo(EventType.EXPIRED);
            });
    assertThat(last.position()).isGreaterThan(position);
    assertThat(get(board.read("k"))).isEmpty();
    writeKeys(board, "last");
    events.awaitCount(4);
    assertThat(events.keys()).containsExactly("k", "k", "k", "last");
    assertThat(expiries.awaitCount(1).events()).containsExactly(last);
    assertThat(get(board.statistics()).entries()).isEqualTo(1);
  }

  @Test
  void manyExpireInTheOrderOfTheirTimes() {
    Blackboard board = swept();
    Recorder events =
        Recorder.eager()
            .to(board.subscribe(EventFilter.types(EventType.EXPIRED), SubscribeFrom.now()));
    committed(
        board.writeAll(
            List.of(
                text("c", "").ttl(SOON.plusMillis(2)),
                text("b", "").ttl(SOON.plusMillis(1)),
                text("a", "").ttl(SOON),
                text("never", ""))));
    assertThat(events.awaitCount(3).keys()).containsExactly("a", "b", "c");
    assertThat(keys(board, Query.all())).containsExactly("never");
  }

  @Test
  void laterWriteReplacesTheTimeToLive() {
    Blackboard board = swept();
    Duration time = Duration.ofMillis(150);
    written(board.write(text("lifted", "1").ttl(time)), 1);
    written(board.write(text("lifted", "2")), 2);
    written(board.write(text("prolonged", "1").ttl(time)), 1);
    written(board.write(text("prolonged", "2").ttl(LATE)), 2);
    written(board.write(text("shortened", "1").ttl(LATE)), 1);
    written(board.write(text("shortened", "2").ttl(time)), 2);
    written(board.write(text("deleted", "1").ttl(time)), 1);
    get(board.delete("deleted"));
    written(board.write(text("deleted", "2")), 1);
    written(board.write(text("witness", "1").ttl(time)), 1);
    awaitGone(board, "shortened");
    awaitGone(board, "witness");
    await()
        .untilAsserted(() ->
            assertThat(
                    get(
                        board.history(
                            EventFilter.types(EventType.EXPIRED), Position.BEGINNING, 10)))
                .extracting(event -> event.entryKey().orElseThrow())
                .containsExactly("shortened", "witness"));
    assertThat(keys(board, Query.all())).containsExactly("deleted", "lifted", "prolonged");
  }

  @Test
  void entriesExpireWithAnother() {
    Blackboard board = swept();
    Position asked = written(board.write(text("asked", "x").tags("t")), 1);
    written(board.write(text("other", "x")), 1);
    written(board.write(text("answered", "y").ttl(LATE).ifAbsent(), List.of("asked", "absent")), 1);
    Entry limited = get(board.read("asked")).orElseThrow();
    assertThat(limited.position()).isEqualTo(asked);
    assertThat(limited.version()).isEqualTo(1);
    assertThat(limited.value().asText()).isEqualTo("x");
    assertThat(limited.tags()).containsExactly("t");
    assertThat(limited.expiresAt())
        .isEqualTo(get(board.read("answered")).orElseThrow().expiresAt());
    assertThat(get(board.read("absent"))).isEmpty();
    assertThat(get(board.write(text("answered", "z").ttl(SOON).ifAbsent(), List.of("asked"))))
        .isEqualTo(new WriteResult.VersionConflict(1));
    assertThat(get(board.read("asked"))).contains(limited);

    written(board.write(text("answered", "z").ttl(SOON), List.of("asked")), 2);
    await().until(() -> get(board.statistics()).entries() == 1);
    assertThat(history(board))
        .extracting(Contract::brief)
        .startsWith(
            "WRITTEN asked 0", "WRITTEN other 0", "WRITTEN answered 0", "WRITTEN answered 1")
        .endsWith("EXPIRED answered 2", "EXPIRED asked 1")
        .hasSize(6);
    assertThat(keys(board, Query.all())).containsExactly("other");
  }

  @Test
  void nothingExpiresWithAWriteThatStays() {
    Blackboard board = unswept();
    assertThatThrownBy(() -> board.write(text("k", ""), List.of("other")))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> board.write(text("k", "").ttl(LATE), List.of("k")))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void timeToLiveIsCountedInWholeMilliseconds() {
    Blackboard board = unswept();
    written(board.write(text("k", "").ttl(LATE.plusNanos(1))), 1);
    Entry entry = get(board.read("k")).orElseThrow();
    assertThat(entry.expiresAt()).contains(entry.updatedAt().plus(LATE).plusMillis(1));
    Duration most = Duration.ofDays(36_500);
    written(board.write(text("k", "").ttl(most)), 2);
    entry = get(board.read("k")).orElseThrow();
    assertThat(entry.expiresAt()).contains(entry.updatedAt().plus(most));
    for (Duration bad : List.of(Duration.ZERO, Duration.ofNanos(-1), most.plusNanos(1))) {
      assertThatThrownBy(() -> text("k", "").ttl(bad)).isInstanceOf(IllegalArgumentException.class);
    }
  }
}
