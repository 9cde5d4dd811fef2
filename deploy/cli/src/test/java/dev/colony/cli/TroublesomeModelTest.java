package dev.colony.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.blackboard.value.Text;
import dev.colony.cli.ColonyProcess.Finished;
import dev.colony.cli.ScriptedModel.Call;
import dev.colony.inference.RecordingModelServer.Recorded;
import dev.colony.inference.RecordingModelServer.Reply;
import dev.colony.inference.RecordingModelServer.Script;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A run with a model server that makes trouble has the answer, or says on one line why not. */
class TroublesomeModelTest {

  private static final JsonMapper JSON = JsonMapper.builder().build();

  private final Rig rig = new Rig();

  @AfterEach
  void stop() {
    rig.close();
  }

  /** The rules of the rig's model, whose replies are changed. */
  private interface Change {
    Reply of(Recorded request, String content);
  }

  private void change(Change change) {
    rig.model()
        .analysts(
            (call, clues) -> change.of(call.request(), content(ScriptedModel.quoting(clues))));
    rig.model()
        .coordinator(call -> change.of(call.request(), content(ScriptedModel.citingAll("", call))));
  }

  private void always(Script script) {
    rig.model().analysts((call, clues) -> script.reply(call.request()));
    rig.model().coordinator(call -> script.reply(call.request()));
  }

  private static String content(Reply reply) {
    return reply.json().at("/choices/0/message/content").asText();
  }

  /** That the run fails and says on one line why no page was read. */
  private void unread(String... why) {
    Finished failed = rig.ask().await();
    Rig.assertOneLine(failed, 1, " failed: no analyst has an answer: ");
    Rig.assertOneLine(failed, 1, why);
  }

  private void answered() {
    assertThat(Rig.essence(rig.ask().await())).isEqualTo(Rig.undisturbed());
  }

  @Test
  void jsonIsFoundInProse() {
    change((request, content) ->
        Reply.answer(
            "Certainly! Here is what I found {as asked}:\n\n"
                + content
                + "\n\nLet me know if you need more."));
    answered();
  }

  @Test
  void aServerThatKnowsNoResponseFormatPutsJsonInFencesAndCutsEachReplyOnce() {
    Set<List<String>> cut = ConcurrentHashMap.newKeySet();
    change((request, content) -> {
      if (request.json().has("response_format")) {
        return Reply.status(400, "{\"error\":{\"message\":\"response_format is not supported\"}}");
      }
      String fenced = "```json\n" + content + "\n```";
      if (!cut.add(request.messages("user"))) {
        return Reply.answer(fenced);
      }
      ObjectNode root = JSON.createObjectNode().put("model", "scripted-1");
      ObjectNode choice = root.putArray("choices").addObject().put("finish_reason", "length");
      choice
          .putObject("message")
          .put("role", "assistant")
          .put("content", Text.head(fenced, fenced.length() / 2));
      root.putObject("usage").put("prompt_tokens", 100).put("completion_tokens", 2000);
      return Reply.status(200, root.toString());
    });
    answered();
    assertThat(cut).hasSize(Rig.FILES + 1);
  }

  @Test
  void aServerThatRefusesEverything() {
    always(request -> Reply.status(400, "{\"error\":{\"message\":\"no such deployment\"}}"));
    unread("answered 400", "no such deployment");
  }

  @Test
  void aContextThatIsSmallerThanAPage() {
    rig.model()
        .server()
        .models(
            request -> Reply.status(200, "{\"data\":[{\"id\":\"tiny\",\"max_model_len\":64}]}"));
    unread("the prompt has about ", "tiny", "takes 64");
    assertThat(rig.model().calls()).as("none is sent in vain").isEmpty();
  }

  @Test
  @Tag("faults")
  void aModelThatThinksUntilItsReplyIsCut() {
    always(request -> {
      ObjectNode root = JSON.createObjectNode().put("model", "thinker");
      ObjectNode choice = root.putArray("choices").addObject().put("finish_reason", "length");
      choice
          .putObject("message")
          .put("role", "assistant")
          .put("content", "")
          .put("reasoning_content", "Let me think about that once more.");
      root.putObject("usage").put("prompt_tokens", 100).put("completion_tokens", 800);
      return Reply.status(200, root.toString());
    });
    unread("reasoning", "no answer");
  }

  @Test
  @Tag("faults")
  void aServerThatListsAnEmbeddingModelFirst() {
    rig.model()
        .server()
        .models(request ->
            Reply.status(
                200, "{\"data\":[{\"id\":\"nomic-embed-text\"},{\"id\":\"chat-model\"}]}"));
    answered();
    assertThat(rig.model().calls())
        .extracting(call -> call.request().json().path("model").asText())
        .containsOnly("chat-model");
  }

  @Test
  @Tag("faults")
  void rolesThatMustAlternate() {
    Script refusal =
        request ->
            Reply.status(
                400,
                "{\"error\":{\"message\":\"Conversation roles must alternate"
                    + " user/assistant/user/assistant/...\"}}");
    change((request, content) ->
        request.messages("user").size() > 1 ? refusal.reply(request) : Reply.answer(content));
    answered();
    assertThat(rig.model().calls().stream().filter(Call::analysts))
        .as("it is learned once")
        .filteredOn(call -> call.request().messages("user").size() > 1)
        .hasSizeLessThanOrEqualTo(Rig.FILES);
  }

  @Test
  @Tag("faults")
  void aServerThatIsAlwaysOverloaded() throws IOException {
    configure("colony.agent.model-call-deadline = 2s");
    always(request -> Reply.status(429, "{\"error\":{\"message\":\"slow down\"}}"));
    unread("429", "slow down");
  }

  @Test
  @Tag("faults")
  void aServerThatHangs() throws IOException {
    configure("colony.agent.model-call-deadline = 2s");
    configure("colony.inference.client.first-token-timeout = 500ms");
    always(request -> Reply.hang());
    unread("no ", "within");
  }

  private void configure(String line) throws IOException {
    Files.writeString(rig.config(), line + "\n", StandardOpenOption.APPEND);
  }
}
