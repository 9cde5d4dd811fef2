package dev.colony.blackboard.fault;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.blackboard.BlackboardException;
import dev.colony.blackboard.Recorder;
import dev.colony.blackboard.SubscribeFrom;
import dev.colony.blackboard.Write;
import dev.colony.blackboard.WriteResult;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

class PromotedReplicaTest extends LostTailContract {

  private final PromotedReplica failover = new PromotedReplica();

  @Override
  LostTail tail() {
    return failover;
  }

  @Test
  void whatAReplicaHadIsNotLost() {
    Recorder live = Recorder.eager().to(reader.subscribe("*", SubscribeFrom.now()));
    write(writer, "kept", 3);
    failover.awaitReplica();
    failover.cut();
    failover.lose();
    write(writer, "new", 1);
    assertThat(live.awaitCount(4).keys()).containsExactly("kept0", "kept1", "kept2", "new0");
    assertThat(live.end()).isNotDone();
  }

  @Test
  void aMasterThatMustHaveAReplicaRefusesToWriteWithoutAndWritesNothing() {
    failover.atMaster("CONFIG SET min-replicas-to-write 1");
    write(writer, "kept", 3);
    failover.cut();
    CompletableFuture<WriteResult> refused =
        writer.write(Write.value("refused", "x")).toCompletableFuture();
    assertThat(refused.handle((result, failure) -> failure).join())
        .isInstanceOfSatisfying(
            CompletionException.class,
            failure ->
                assertThat(failure.getCause())
                    .isInstanceOfSatisfying(
                        BlackboardException.class,
                        known ->
                            assertThat(known.reason())
                                .isEqualTo(BlackboardException.Reason.READ_ONLY)));
    assertThat(now(reader.read("refused"))).isEmpty();
    assertThat(now(reader.statistics()).events()).isEqualTo(3);
  }
}
