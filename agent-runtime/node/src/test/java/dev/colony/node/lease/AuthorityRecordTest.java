package dev.colony.node.lease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.colony.blackboard.memory.InMemoryBlackboards;
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

  private AuthorityRecord record(String authority, Duration grace) {
    return new AuthorityRecord(boards.open(AuthorityRecord.SCOPE, "test"), grace, authority);
  }

  private static boolean first(AuthorityRecord record) {
    return record.first().toCompletableFuture().join();
  }

  @Test
  void oneThatBeginsIsTheFirstWhereNoOtherIsKnown() {
    AuthorityRecord one = record("one", Duration.ofHours(1));
    AuthorityRecord other = record("other", Duration.ofHours(1));
    assertThat(first(one)).isTrue();
    assertThat(first(other)).isFalse();
    assertThat(first(one)).as("begun again").isFalse();
    one.ends().toCompletableFuture().join();
    assertThat(first(other)).as("the one before it has ended well").isTrue();
  }

  @Test
  void whatIsNotRenewedIsForgotten() {
    AuthorityRecord one = record("one", Duration.ofMillis(50));
    assertThat(first(one)).isTrue();
    one.stands().toCompletableFuture().join();
    await().until(() -> first(record("other", Duration.ofHours(1))));
    one.stands().toCompletableFuture().join();
    assertThat(first(record("third", Duration.ofHours(1)))).as("renewed").isFalse();
  }
}
