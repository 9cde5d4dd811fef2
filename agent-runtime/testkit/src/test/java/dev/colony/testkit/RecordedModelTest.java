package dev.colony.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.colony.inference.CallContext;
import dev.colony.inference.InferenceReply;
import dev.colony.inference.InferenceRequest;
import dev.colony.inference.Prompt;
import dev.colony.inference.ReplyForm;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a server has answered, in a file, and played back from it. */
@Timeout(60)
class RecordedModelTest {

  @TempDir private Path folder;

  private Path file() {
    return folder.resolve("calls.jsonl");
  }

  private static CompletableFuture<InferenceReply> ask(FakeModel model, String prompt) {
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

  private void record() {
    try (FakeModel real = FakeModel.start();
        FakeModel recorder = FakeModel.recording(real.uri(), file())) {
      real.expect("bow").fail(503);
      real.expect("bow").answer("the front").usage(7, 5, 2);
      real.expect("stern").answer("the \"back\"\nof it");
      assertThat(ask(recorder, "the bow").join().text()).isEqualTo("the front");
      assertThat(ask(recorder, "the stern").join().text()).isEqualTo("the \"back\"\nof it");
      assertThat(recorder.count()).isEqualTo(3);
    }
  }

  @Test
  void itAnswersAsTheServerDidFailuresAndUsageIncluded() throws Exception {
    record();
    assertThat(Files.readAllLines(file())).hasSize(4).noneMatch(line -> line.contains("api"));
    try (FakeModel model = FakeModel.replaying(file())) {
      InferenceReply bow = ask(model, "the bow").join();
      assertThat(bow.text()).isEqualTo("the front");
      assertThat(bow.usage().cachedTokens()).isEqualTo(5);
      assertThat(ask(model, "the stern").join().text()).isEqualTo("the \"back\"\nof it");
      assertThat(model.count()).isEqualTo(3);
    }
  }

  @Test
  void callsOfWhichSeveralAreMadeAtATimeMayComeInAnyOrder() {
    record();
    try (FakeModel model = FakeModel.replaying(file())) {
      assertThat(ask(model, "the stern").join().text()).contains("back");
      assertThat(ask(model, "the bow").join().text()).isEqualTo("the front");
    }
  }

  @Test
  void aChangedPromptIsToldWithItsFirstDifference() {
    record();
    FakeModel model = FakeModel.replaying(file());
    String difference =
        "otherwise than call 1 of calls.jsonl: messages[1].content is \"the keel\", and was \"the"
            + " bow\"";
    assertThatThrownBy(ask(model, "the keel")::join).hasMessageContaining(difference);
    assertThatThrownBy(model::close)
        .isInstanceOf(AssertionError.class)
        .hasMessage(
            "the model was asked "
                + difference
                + "; was not asked call 1 of calls.jsonl: 0 of 3 were");
  }

  @Test
  void aCallMoreThanThereAreIsTold() {
    record();
    FakeModel model = FakeModel.replaying(file());
    ask(model, "the bow").join();
    ask(model, "the stern").join();
    assertThatThrownBy(ask(model, "the bow")::join)
        .hasMessageContaining("was asked more than the 3 calls of calls.jsonl");
    assertThatThrownBy(model::close).isInstanceOf(AssertionError.class);
  }

  @Test
  void aServerThatCannotBeAskedIsToldAndAFileThatIsNotThereTooAtOnce() {
    try (FakeModel model = FakeModel.recording(URI.create("http://127.0.0.1:1"), file())) {
      assertThatThrownBy(ask(model, "the bow")::join)
          .hasMessageContaining("the recorded server http://127.0.0.1:1/v1 cannot be asked");
    }
    assertThatThrownBy(() -> FakeModel.replaying(folder.resolve("none.jsonl")))
        .isInstanceOf(UncheckedIOException.class)
        .hasMessageContaining("none.jsonl");
  }
}
