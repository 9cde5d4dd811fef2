package dev.colony.inference.provider;

import static dev.colony.inference.InferenceFixtures.config;
import static dev.colony.inference.InferenceFixtures.json;
import static dev.colony.inference.InferenceFixtures.request;
import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.inference.ChatMessage;
import dev.colony.inference.FinishReason;
import dev.colony.inference.InferenceDelta;
import dev.colony.inference.InferenceException;
import dev.colony.inference.InferenceException.Kind;
import dev.colony.inference.InferenceRequest;
import dev.colony.inference.Sampling;
import dev.colony.inference.Usage;
import dev.colony.inference.provider.ModelClient.Attempt;
import dev.colony.inference.provider.ModelClient.UsageTally;
import dev.colony.inference.provider.ModelProvider.Chat;
import dev.colony.inference.provider.ModelProvider.ErrorStatus;
import dev.colony.inference.provider.ModelProvider.Failed;
import dev.colony.inference.provider.ModelProvider.Finished;
import dev.colony.inference.provider.ModelProvider.Part;
import dev.colony.inference.provider.ModelProvider.Question;
import dev.colony.inference.provider.ModelProvider.Reasoning;
import dev.colony.inference.provider.ModelProvider.Text;
import dev.colony.inference.provider.ModelProvider.Tokens;
import java.net.URI;
import java.net.http.HttpHeaders;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** What a library says of a reply is held to what holds for servers. */
class ProvidedModelTest {

  private static final Duration ENOUGH = Duration.ofSeconds(10);

  private final List<Question> asked = new ArrayList<>();
  private final UsageTally spent = new UsageTally();
  private final List<InferenceDelta> heard = new ArrayList<>();
  private int ended;

  private static Finished finished(long prompt, long completion) {
    return new Finished(
        FinishReason.STOP,
        Optional.of(new Tokens(prompt, OptionalLong.of(7), completion, 2)),
        "m-2");
  }

  private static HttpHeaders headers(Map<String, List<String>> all) {
    return HttpHeaders.of(all, (name, value) -> true);
  }

  /** A model that gives these parts at once. */
  private ProvidedModel model(Function<Question, List<Part>> script, String... lines) {
    Chat chat =
        new Chat() {
          @Override
          public boolean streams() {
            return true;
          }

          @Override
          public Runnable ask(Question question, Consumer<Part> parts) {
            asked.add(question);
            script.apply(question).forEach(parts);
            return () -> ended++;
          }

          @Override
          public void close() {}
        };
    return new ProvidedModel(
        URI.create("provider://x/a"), ProviderSettings.fromConfig(config(lines)), chat, 10_000);
  }

  private Attempt complete(ProvidedModel model, InferenceRequest request) throws Exception {
    return model.complete(request, "a@x", ENOUGH, heard::add, spent);
  }

  private InferenceException failure(ProvidedModel model) throws Exception {
    return ((Attempt.Failed) complete(model, request("c", "p1"))).failure();
  }

  @Test
  void theReplyIsPutTogetherAndEveryPartIsHeard() throws Exception {
    ProvidedModel model =
        model(q ->
            List.of(
                new Reasoning("hm"),
                new Text("<think>x</think>the "),
                new Text("bow"),
                finished(120, 12),
                new Text(" and more")));
    Attempt.Answered answer = (Attempt.Answered) complete(model, request("c", "p1", "p2"));
    assertThat(answer.text()).isEqualTo("the bow");
    assertThat(answer.reasoning()).isEqualTo("hmx");
    assertThat(answer.usage()).isEqualTo(new Usage(120, 7, 12, 2));
    assertThat(answer.cachedTokens()).hasValue(7);
    assertThat(answer.model()).isEqualTo("m-2");
    assertThat(heard).contains(new InferenceDelta.Text("bow"), new InferenceDelta.Reasoning("hm"));
    assertThat(ended).as("the library is told that the call is over").isEqualTo(1);
    assertThat(asked.getFirst().system()).isEqualTo("You answer from pages.");
    assertThat(asked.getFirst().messages())
        .containsExactly(
            new ChatMessage.User("text of p1"),
            new ChatMessage.User("text of p2"),
            new ChatMessage.User("Question: what?"));
  }

  @Test
  void aUsageThatIsNonsenseIsEstimated() throws Exception {
    ProvidedModel model = model(q -> List.of(new Text("the bow"), finished(-1, 12)));
    Attempt.Answered answer = (Attempt.Answered) complete(model, request("c", "p1"));
    assertThat(answer.usage().promptTokens()).isGreaterThanOrEqualTo(100);
    assertThat(answer.usage().completionTokens()).isEqualTo("the bow".length() / 4);
  }

  @Test
  void aStatusIsReadAsThatOfAServer() throws Exception {
    InferenceException busy =
        failure(
            model(q ->
                List.of(
                    new ErrorStatus(
                        429,
                        headers(Map.of("retry-after", List.of("7"))),
                        "{\"error\": {\"message\": \"slow\\ndown\"}}",
                        null))));
    assertThat(busy.kind()).isEqualTo(Kind.OVERLOADED);
    assertThat(busy).hasMessage("provider://x/a answered 429: slow down");
    assertThat(busy.retryAfter()).contains(Duration.ofSeconds(7));
    assertThat(busy.usage()).isEqualTo(Usage.NONE);
    InferenceException poor =
        failure(
            model(q ->
                List.of(
                    new ErrorStatus(
                        429,
                        headers(Map.of()),
                        "{\"error\": {\"code\": \"insufficient_quota\"}}",
                        null))));
    assertThat(poor.kind()).isEqualTo(Kind.QUOTA);
  }

  /** A field that is refused is left out from then on. */
  @Test
  void refusalsAreLearnedFrom() throws Exception {
    ProvidedModel model =
        model(q ->
            q.sampling().temperature().isPresent()
                ? List.of(
                    new ErrorStatus(
                        400,
                        headers(Map.of()),
                        "{\"error\": {\"message\": \"not supported\", \"param\": \"temperature\"}}",
                        null))
                : List.of(new Text("the bow"), finished(1, 1)));
    InferenceRequest request =
        request("c", "p1")
            .sampling(Sampling.GREEDY)
            .extraFields(Map.of("top_k", json("3"), "temperature", json("1")));
    assertThat(complete(model, request)).isInstanceOf(Attempt.Answered.class);
    assertThat(complete(model, request)).isInstanceOf(Attempt.Answered.class);
    assertThat(asked)
        .extracting(q -> q.sampling().temperature())
        .containsExactly(OptionalDouble.of(0), OptionalDouble.empty(), OptionalDouble.empty());
    assertThat(asked.getLast().extraFields()).containsExactly(Map.entry("top_k", json("3")));
  }

  @Test
  void whatWasBegunIsBilledWhereItBreaksOff() throws Exception {
    InferenceException broken =
        failure(
            model(q ->
                List.of(
                    new Text("sixteen letters!"),
                    new Failed(Kind.BROKEN_OFF, "broke\noff", null))));
    assertThat(broken.kind()).isEqualTo(Kind.BROKEN_OFF);
    assertThat(broken).hasMessage("provider://x/a broke off");
    assertThat(broken.usage().completionTokens()).isEqualTo(4);
  }

  @Test
  void aSilentModelIsGivenUpAndEnded() throws Exception {
    InferenceException silent =
        failure(model(q -> List.of(), "client.first-token-timeout = 20 ms"));
    assertThat(silent.kind()).isEqualTo(Kind.TIMEOUT);
    assertThat(silent).hasMessage("provider://x/a began no reply within 20 ms");
    assertThat(silent.usage()).isEqualTo(Usage.NONE);
    assertThat(ended).isEqualTo(1);
    InferenceException stuck =
        failure(model(q -> List.of(new Text("a")), "client.next-token-timeout = 20 ms"));
    assertThat(stuck).hasMessage("provider://x/a sent no more of its reply for 20 ms");
  }

  @Test
  void aReplyHasABound() throws Exception {
    List<Part> endless = new ArrayList<>();
    for (int i = 0; i < 1000; i++) {
      endless.add(new Text(""));
    }
    endless.add(finished(1, 1));
    InferenceException large = failure(model(q -> endless));
    assertThat(large.kind()).isEqualTo(Kind.BAD_REPLY);
    assertThat(large).hasMessage("provider://x/a answers with more than 10000 bytes");
  }
}
