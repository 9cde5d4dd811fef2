package dev.colony.blackboard.board;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.blackboard.Scope;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class InboxBucketTest {

  @Test
  void bucketOfAScopeNeverChanges() {
    // Stored data are laid out by these numbers.
    assertThat(InboxBucket.of(Scope.agent("acme", "billing", "reviewer"), 32)).isEqualTo(6);
    assertThat(InboxBucket.of(Scope.tenant("acme"), 32)).isEqualTo(16);
  }

  @Test
  void namespacesOfAnAgentShareItsBucket() {
    Scope agent = Scope.agent("acme", "billing", "reviewer");
    assertThat(InboxBucket.of(agent.namespace("compliance"), 32))
        .isEqualTo(InboxBucket.of(agent, 32));
  }

  @Test
  void agentsSpreadOverAllBuckets() {
    Set<Integer> buckets =
        IntStream.range(0, 1_000)
            .mapToObj(n -> InboxBucket.of(Scope.agent("acme", "billing", "a" + n), 32))
            .collect(Collectors.toSet());
    assertThat(buckets).hasSize(32).allMatch(bucket -> bucket >= 0 && bucket < 32);
  }
}
