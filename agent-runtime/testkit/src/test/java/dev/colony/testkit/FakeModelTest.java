package dev.colony.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.colony.inference.CallContext;
import dev.colony.inference.InferenceException;
import dev.colony.inference.InferenceReply;
import dev.colony.inference.InferenceRequest;
import dev.colony.inference.Prompt;
import dev.colony.inference.ReplyForm;
import dev.colony.inference.Usage;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the scripted model server does with prompts, over HTTP and by the real client. */
@Timeout(60)
class FakeModelTest {

  private final FakeModel model = FakeModel.start();

  @AfterEach
  void close() {
    model.close();
  }

  private CompletableFuture<InferenceReply> ask(String prompt) {
    return model
        .gateway()
        .complete(
            InferenceRequest.of(
                "call",
                Prompt.of("be short", List.of(), prompt),
                ReplyForm.text(100),
                CallContext.within(Duration.ofMinutes(1))))
        .toCompletableFuture();
  }

  @Test
  void eachPromptIsAnsweredByTheFirstExpectationThatItMeets() {
    Expectation ship = model.expect("bow", "ship").answer("the front").usage(7, 5, 2);
    Expectation any = model.expect().times(2).answer(prompt -> prompt.messages().getLast() + "!");
    Expectation json = model.expect("json").anyTimes().answer(Map.of("n", 1));
    InferenceReply first = ask("the bow of a ship").join();
    assertThat(first.text()).isEqualTo("the front");
    assertThat(first.usage()).isEqualTo(new Usage(7, 5, 2));
    assertThat(ask("the bow of a ship").join().text()).isEqualTo("the bow of a ship!");
    assertThat(ask("x").join().text()).isEqualTo("x!");
    assertThat(ask("json").join().text()).isEqualTo("{\"n\":1}");
    assertThat(List.of(ship.count(), any.count(), json.count())).containsExactly(1, 2, 1);
    assertThat(model.count()).isEqualTo(4);
    assertThat(model.prompts().getFirst().system()).isEqualTo("be short");
  }

  @Test
  void whatMayPassIsAskedAgain() {
    model.expect().fail(500);
    model.expect().limitRate(Duration.ZERO);
    model.expect().cutOff();
    model.expect().answer("at last");
    assertThat(ask("x").join().text()).isEqualTo("at last");
    assertThat(model.count()).isEqualTo(4);
  }

  @Test
  void whatIsNoCompletionFailsTheCall() {
    model.expect().anyTimes().garbage();
    assertThatThrownBy(() -> ask("x").join())
        .isInstanceOf(CompletionException.class)
        .hasCauseInstanceOf(InferenceException.class);
  }

  @Test
  void anAnswerIsHeldBackUntilItIsReleased() {
    Expectation held = model.expect("first").held().answer("late");
    model.expect("second").answer("at once");
    CompletableFuture<InferenceReply> late = ask("first");
    assertThat(held.await().text()).contains("first");
    assertThat(ask("second").join().text()).isEqualTo("at once");
    assertThat(late).isNotDone();
    held.release();
    assertThat(late.join().text()).isEqualTo("late");
  }

  @Test
  void anAnswerTakesAsMuchVirtualTimeAsTheTestSays() {
    VirtualTime time = new VirtualTime();
    Expectation slow = model.expect().delayed(Duration.ofHours(2), time).answer("done");
    CompletableFuture<InferenceReply> asked = ask("x");
    slow.await();
    time.advance(Duration.ofHours(1));
    assertThat(asked).isNotDone();
    time.advance(Duration.ofHours(1));
    assertThat(asked.join().text()).isEqualTo("done");
    assertThat(time.instant()).isEqualTo(VirtualTime.BEGINNING.plus(Duration.ofHours(2)));
    assertThatThrownBy(() -> time.advance(Duration.ofHours(-1)))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void whatIsDueIsDoneInTheOrderOfItsTimes() {
    VirtualTime time = new VirtualTime();
    List<String> done = new ArrayList<>();
    time.after(Duration.ofMinutes(2), () -> done.add("second"));
    time.after(Duration.ofMinutes(1), () -> done.add("first"));
    time.after(Duration.ZERO, () -> done.add("at once"));
    assertThat(done).containsExactly("at once");
    time.advance(Duration.ofMinutes(3));
    assertThat(done).containsExactly("at once", "first", "second");
  }

  @Test
  void aStreamIsAnsweredWordByWord() throws Exception {
    model.expect("tell").answer("one two");
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(model.uri() + "/chat/completions"))
            .POST(
                HttpRequest.BodyPublishers.ofString(
                    "{\"stream\":true,\"messages\":[{\"role\":\"user\",\"content\":\"tell\"}]}"))
            .build();
    try (HttpClient client = HttpClient.newHttpClient()) {
      HttpResponse<String> response = client.send(request, HttpResponse.BodyHandlers.ofString());
      assertThat(response.headers().firstValue("Content-Type")).contains("text/event-stream");
      assertThat(response.body().lines().filter(line -> !line.isEmpty()))
          .hasSize(4)
          .anyMatch(line -> line.contains("{\"content\":\"one \"}"))
          .anyMatch(line -> line.contains("{\"content\":\"two\"}"))
          .endsWith("data: [DONE]");
    }
  }

  @Test
  void whatDoesNotFitIsSaidInOneLine() {
    model.expect("Ann").times(2).answer("yes");
    model.expect("Bob").answer("no");
    ask("Ann").join();
    assertThatThrownBy(() -> ask("Carl\nand more").join())
        .hasMessageContaining(
            "no expectation of the test is for this prompt: Carl and more (asked); \"Ann\", of"
                + " which it has nothing, or \"Bob\", of which it has nothing (expected)");
    assertThatThrownBy(model::verify)
        .isInstanceOf(AssertionError.class)
        .hasMessage(
            "the model was asked what nothing expects: Carl and more; was not asked for \"Ann\", 1"
                + " of 2 times; was not asked for \"Bob\"");
    ask("Ann").join();
    ask("Bob").join();
    assertThatThrownBy(model::close).hasMessageContaining("Carl");
  }

  @Test
  void aPromptThatNearlyFitsIsToldWhatItLacks() {
    model.expect("Ann", "a lamp").answer("yes");
    assertThatThrownBy(() -> ask("Ann bought a desk").join())
        .hasMessageContaining(
            "Ann bought a desk (asked); \"Ann\" and \"a lamp\", of which it lacks \"a lamp\""
                + " (expected)");
    ask("Ann bought a lamp").join();
    assertThatThrownBy(() -> ask("Ann bought a lamp").join())
        .hasMessageContaining("Ann bought a lamp (asked); nothing more (expected)");
    assertThatThrownBy(model::close).isInstanceOf(AssertionError.class);
  }
}
