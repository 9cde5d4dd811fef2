package dev.colony.node.admission;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.colony.agent.AgentId;
import dev.colony.agent.client.ScopeSuspensions.ScopeSuspension;
import dev.colony.blackboard.BlackboardException;
import dev.colony.blackboard.Scope;
import dev.colony.core.dispatch.Backoff;
import dev.colony.inference.CallContext;
import dev.colony.inference.InferenceDelta;
import dev.colony.inference.InferenceException;
import dev.colony.inference.InferenceException.Kind;
import dev.colony.inference.InferenceGateway;
import dev.colony.inference.InferenceReply;
import dev.colony.inference.InferenceRequest;
import dev.colony.inference.Prompt;
import dev.colony.inference.ReplyForm;
import dev.colony.inference.Usage;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Calls of what is suspended as a whole. */
class SuspendableModelsTest {

  private static final ScopeSuspension TENANT =
      new ScopeSuspension(Scope.tenant("acme"), "too dear", Instant.EPOCH);

  private volatile CompletableFuture<List<ScopeSuspension>> stored =
      CompletableFuture.completedFuture(List.of());
  private final List<CompletableFuture<InferenceReply>> asked = new CopyOnWriteArrayList<>();
  private final ScopeWatch watch =
      new ScopeWatch(
          () -> stored,
          agent ->
              CompletableFuture.completedStage(
                  Optional.of(AgentId.parse("acme/billing/top"))
                      .filter(top -> agent.name().equals("child"))),
          new Backoff(Duration.ofMillis(5), Duration.ofMillis(20)));
  private final SuspendableModels models = new SuspendableModels(new Slow(), watch);

  /** Answers when it is told to. */
  private final class Slow implements InferenceGateway {

    @Override
    public CompletionStage<InferenceReply> complete(
        InferenceRequest request, Consumer<InferenceDelta> parts) {
      CompletableFuture<InferenceReply> reply = new CompletableFuture<>();
      asked.add(reply);
      return reply;
    }

    @Override
    public void close() {}
  }

  @AfterEach
  void close() {
    watch.close();
  }

  private void store(ScopeSuspension... all) {
    stored = CompletableFuture.completedFuture(List.of(all));
  }

  private CompletableFuture<InferenceReply> call(Optional<String> agent) {
    CallContext context = CallContext.of("acme", Duration.ofMinutes(1));
    return models.complete(
        InferenceRequest.of(
            "c",
            Prompt.of("", List.of(), "hello"),
            ReplyForm.text(10),
            agent.map(context::agent).orElse(context)),
        part -> {});
  }

  private static InferenceReply reply() {
    return InferenceReply.text("c", "hello", Usage.NONE, "model", false);
  }

  private static InferenceException failure(CompletableFuture<InferenceReply> call) {
    await().until(call::isCompletedExceptionally);
    return (InferenceException) call.exceptionNow();
  }

  @Test
  void aCallOfATenantIsRefusedAndOneUnderWayIsCutOff() {
    CompletableFuture<InferenceReply> first = call(Optional.empty());
    await().until(() -> asked.size() == 1);
    store(TENANT);
    assertThat(failure(first).kind()).isEqualTo(Kind.SUSPENDED);
    assertThat(failure(first)).hasMessage("tenant acme is suspended: too dear");
    assertThat(asked.getFirst()).isCancelled();
    assertThat(failure(call(Optional.empty())).kind()).isEqualTo(Kind.SUSPENDED);
    assertThat(asked).hasSize(1);

    store();
    await()
        .until(() -> {
          CompletableFuture<InferenceReply> again = call(Optional.empty());
          return !again.isCompletedExceptionally();
        });
    await().until(() -> asked.size() >= 2);
    asked.getLast().complete(reply());
  }

  @Test
  void anAgentsCallWaitsAndIsMadeAnewAndMayBeGivenUp() {
    Optional<String> agent = Optional.of("acme/billing/child");
    CompletableFuture<InferenceReply> first = call(agent);
    await().until(() -> asked.size() == 1);
    store(new ScopeSuspension(Scope.agent("acme", "billing", "top"), "", Instant.EPOCH));
    await().until(() -> asked.getFirst().isCancelled());
    CompletableFuture<InferenceReply> second = call(agent);
    CompletableFuture<InferenceReply> other = call(Optional.of("acme/billing/other"));
    await().until(() -> asked.size() == 2);
    asked.get(1).complete(reply());
    assertThat(other.join().text()).isEqualTo("hello");
    assertThat(first).isNotDone();
    second.cancel(true);

    store();
    await().until(() -> asked.size() == 3);
    asked.get(2).complete(reply());
    assertThat(first.join().text()).isEqualTo("hello");
  }

  @Test
  void noCallBeginsByWhatWasReadLongAgo() {
    await().until(() -> watch.good());
    CompletableFuture<List<ScopeSuspension>> cutOff = new CompletableFuture<>();
    stored = cutOff;
    await().until(() -> !watch.good());
    CompletableFuture<InferenceReply> waits = call(Optional.empty());
    assertThat(waits).isNotDone();
    assertThat(asked).isEmpty();
    store(TENANT);
    cutOff.completeExceptionally(
        new BlackboardException(BlackboardException.Reason.UNREACHABLE, "cut off"));
    assertThat(failure(waits).kind()).isEqualTo(Kind.SUSPENDED);
    assertThat(asked).isEmpty();
  }
}
