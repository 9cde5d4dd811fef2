package dev.colony.inference.replicas;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.inference.CallContext;
import dev.colony.inference.ChatMessage;
import dev.colony.inference.InferenceFixtures;
import dev.colony.inference.InferenceRequest;
import dev.colony.inference.Prompt;
import dev.colony.inference.PromptPage;
import dev.colony.inference.ReplyForm;
import dev.colony.inference.ToolCall;
import dev.colony.inference.replicas.PromptBlocks.PromptPrefix;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class PromptPrefixTest {

  private static final int BLOCK = 16;

  /** The beginning has the same blocks, and no more but for the one that asks. */
  @Property(tries = 300)
  void theBlocksOfTheBeginningAreThoseOfThePrompt(
      @ForAll @IntRange(min = 0, max = 40) int preamble,
      @ForAll @Size(max = 4) List<@IntRange(min = 1, max = 70) Integer> pages,
      @ForAll @Size(min = 1, max = 5) List<@IntRange(min = 1, max = 50) Integer> messages,
      @ForAll @IntRange(min = 0, max = 40) int blocks) {
    InferenceRequest request = request(preamble, pages, messages);
    long[] chain = PromptBlocks.of(request, BLOCK).chain();
    int kept = Math.min(blocks, chain.length);
    PromptPrefix prefix = PromptPrefix.of(request, BLOCK, blocks);
    long[] cut = PromptBlocks.of(prefix.request(), BLOCK).chain();
    assertThat(Arrays.copyOf(cut, kept)).isEqualTo(Arrays.copyOf(chain, kept));
    assertThat(cut.length).isBetween(kept, kept + 1);
    assertThat(characters(request, prefix)).isEqualTo(coveredCharacters(request, kept));
    if (blocks >= chain.length) {
      assertThat(prefix.request()).isSameAs(request);
    }
  }

  /** What the position says that the beginning has. */
  private static long characters(InferenceRequest request, PromptPrefix prefix) {
    return texts(request).stream().limit(prefix.wholeMessages()).mapToLong(String::length).sum()
        + prefix.characters();
  }

  /** The same by the blocks: each has 16 characters, or ends with its text. */
  private static long coveredCharacters(InferenceRequest request, int blocks) {
    long characters = 0;
    int left = blocks;
    for (String text : texts(request)) {
      for (int at = 0; at < text.length() && left > 0; at += BLOCK, left--) {
        characters += Math.min(BLOCK, text.length() - at);
      }
    }
    return characters;
  }

  private static List<String> texts(InferenceRequest request) {
    List<String> texts = new ArrayList<>();
    if (!request.prompt().preamble().isEmpty()) {
      texts.add(request.prompt().preamble());
    }
    request.prompt().pages().forEach(page -> texts.add(page.text()));
    request
        .prompt()
        .messages()
        .forEach(message -> {
          if (message instanceof ChatMessage.User user) {
            texts.add(user.text());
          } else if (message instanceof ChatMessage.Assistant said) {
            texts.add(said.text());
          }
        });
    return texts;
  }

  @Test
  void aPageThatIsCutIsNoPageOfTheBeginning() {
    InferenceRequest request = request(0, List.of(32, 32), List.of(5));
    PromptPrefix prefix = PromptPrefix.of(request, BLOCK, 3);
    assertThat(prefix.request().prompt().pages()).hasSize(1);
    assertThat(prefix.request().prompt().messages())
        .containsExactly(
            new ChatMessage.User(request.prompt().pages().get(1).text().substring(0, 16)));
    assertThat(prefix.wholeMessages()).isEqualTo(1);
    assertThat(prefix.characters()).isEqualTo(16);
  }

  @Test
  void callsOfToolsStandInNoBeginningWithoutTheirResults() {
    ToolCall call = new ToolCall("id", "look", InferenceFixtures.json("{}"));
    InferenceRequest request =
        InferenceRequest.of(
            "c",
            new Prompt(
                "",
                List.of(),
                List.of(
                    new ChatMessage.User("what is there?"),
                    new ChatMessage.Assistant("", List.of(call)),
                    new ChatMessage.ToolResult("id", "x".repeat(40)))),
            ReplyForm.text(5),
            CallContext.within(Duration.ofSeconds(1)));
    assertThat(PromptPrefix.of(request, BLOCK, 2).request().prompt().messages())
        .containsExactly(new ChatMessage.User("what is there?"));
    assertThat(PromptPrefix.of(request, BLOCK, 3).request().prompt().messages()).hasSize(3);
  }

  private static InferenceRequest request(
      int preamble, List<Integer> pages, List<Integer> messages) {
    List<PromptPage> texts = new ArrayList<>();
    for (int i = 0; i < pages.size(); i++) {
      texts.add(new PromptPage("p" + i, text(100 + i, pages.get(i)), 10));
    }
    List<ChatMessage> said = new ArrayList<>();
    for (int i = 0; i < messages.size(); i++) {
      String text = text(200 + i, messages.get(i));
      said.add(
          i % 2 == 0 ? new ChatMessage.User(text) : new ChatMessage.Assistant(text, List.of()));
    }
    return InferenceRequest.of(
        "c",
        new Prompt(text(1, preamble), texts, said),
        ReplyForm.text(5),
        CallContext.within(Duration.ofSeconds(1)));
  }

  private static String text(int name, int length) {
    return (name + " and so on, ").repeat(length / 5 + 1).substring(0, length);
  }
}
