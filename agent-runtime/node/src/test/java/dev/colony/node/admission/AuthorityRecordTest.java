package dev.colony.node.admission;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.colony.testkit.board.InMemoryBlackboards;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Whether an authority of leases knows that another was there shortly before. */
class AuthorityRecordTest {

  private final InMemoryBlackboards boards = new InMemoryBlackboards();

  @AfterEach
  void close() {
    boards.close();
  }

  private LeaseService.AuthorityRecord record(String authority, Duration grace) {
    return new LeaseService.AuthorityRecord(
        boards.open(LeaseService.AuthorityRecord.SCOPE, "test"), grace, authority);
  }

  private static boolean first(LeaseService.AuthorityRecord record) {
    return record.first().toCompletableFuture().join();
  }

  @Test
  void oneThatBeginsIsTheFirstWhereNoOtherIsKnown() {
    LeaseService.AuthorityRecord one = record("one", Duration.ofHours(1));
    LeaseService.AuthorityRecord other = record("other", Duration.ofHours(1));
    assertThat(first(one)).isTrue();
    assertThat(first(other)).isFalse();
    assertThat(first(one)).as("begun again").isFalse();
    one.ends().toCompletableFuture().join();
    assertThat(first(other)).as("the one before it has ended well").isTrue();
  }

  @Test
  void whatIsNotRenewedIsForgotten() {
    LeaseService.AuthorityRecord one = record("one", Duration.ofMillis(50));
    assertThat(first(one)).isTrue();
    one.stands().toCompletableFuture().join();
    await().until(() -> first(record("other", Duration.ofHours(1))));
    one.stands().toCompletableFuture().join();
    assertThat(first(record("third", Duration.ofHours(1)))).as("renewed").isFalse();
  }
}
