package dev.colony.inference.replicas;

import static dev.colony.inference.InferenceFixtures.json;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.TextNode;
import dev.colony.inference.CallContext;
import dev.colony.inference.ChatMessage;
import dev.colony.inference.InferenceRequest;
import dev.colony.inference.ModelChoice;
import dev.colony.inference.Prompt;
import dev.colony.inference.PromptPage;
import dev.colony.inference.ReplyForm;
import dev.colony.inference.Tool;
import dev.colony.inference.ToolChoice;
import dev.colony.vcm.schedule.Ask;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

/** Prompts that begin alike have equal blocks at their beginnings, and only there. */
class PromptBlocksTest {

  private static InferenceRequest request(String preamble, List<String> pages, String question) {
    List<PromptPage> texts = new ArrayList<>();
    pages.forEach(text -> texts.add(new PromptPage("p-" + text.hashCode(), text, 100)));
    return InferenceRequest.of(
        "c",
        Prompt.of(preamble, texts, question),
        ReplyForm.text(7),
        CallContext.of("acme", Duration.ofSeconds(1)));
  }

  private static int common(InferenceRequest one, InferenceRequest other) {
    long[] a = PromptBlocks.of(one, 16).chain();
    long[] b = PromptBlocks.of(other, 16).chain();
    int same = 0;
    while (same < Math.min(a.length, b.length) && a[same] == b[same]) {
      same++;
    }
    for (int i = same; i < a.length; i++) {
      assertThat(b).doesNotContain(a[i]);
    }
    return same;
  }

  @Test
  void blocksOfTwoSaltsHaveNothingInCommon() {
    InferenceRequest plain = request("sys", List.of("a page"), "what?");
    InferenceRequest one = plain.extraFields(Map.of("cache_salt", TextNode.valueOf("one")));
    InferenceRequest two = plain.extraFields(Map.of("cache_salt", TextNode.valueOf("two")));
    assertThat(common(plain, one)).isZero();
    assertThat(common(one, two)).isZero();
    assertThat(common(one, one.prompt(plain.prompt()))).isEqualTo(3);
  }

  @Property(tries = 200)
  void blocksAreEqualAsFarAsTheTextIs(
      @ForAll @Size(max = 6) List<@IntRange(max = 3) Integer> one,
      @ForAll @Size(max = 6) List<@IntRange(max = 3) Integer> other) {
    // 20 characters: a full block and the rest of the page
    List<String> left = one.stream().map(page -> "a page's text, no. " + page).toList();
    List<String> right = other.stream().map(page -> "a page's text, no. " + page).toList();
    int pages = 0;
    while (pages < Math.min(left.size(), right.size())
        && left.get(pages).equals(right.get(pages))) {
      pages++;
    }
    boolean same = left.equals(right);
    // pages differ in their last character only
    int halves = !same && pages < Math.min(left.size(), right.size()) ? 1 : 0;
    assertThat(common(request("sys", left, "x"), request("sys", right, "x")))
        .isEqualTo(same ? 2 + 2 * pages : 1 + 2 * pages + halves);
  }

  @Test
  void pagesInAnotherOrderShareNothingBehindThePreamble() {
    String a = "page a ".repeat(10);
    String b = "page b ".repeat(10);
    assertThat(common(request("sys", List.of(a, b), "q"), request("sys", List.of(b, a), "q")))
        .isEqualTo(1);
    assertThat(common(request("one", List.of(a), "q"), request("two", List.of(a), "q"))).isZero();
  }

  @Test
  void anotherModelAndOtherToolsShareNothing() {
    InferenceRequest plain = request("sys", List.of("text"), "q");
    assertThat(common(plain, plain.model(new ModelChoice.Named("other")))).isZero();
    Tool tool = new Tool("look", "looks", json("{\"type\":\"object\"}"));
    assertThat(common(plain, plain.reply(plain.reply().tools(List.of(tool), ToolChoice.AUTO))))
        .isZero();
  }

  @Test
  void tokensAreThoseOfPagesAndAQuarterOfOtherCharacters() {
    PromptBlocks blocks =
        PromptBlocks.of(request("x".repeat(40), List.of("y".repeat(32), "z"), "w".repeat(8)), 16);
    assertThat(blocks.ends()).containsExactly(4, 8, 10, 60, 110, 210, 212);
    assertThat(blocks.pageEnds()).containsExactly(5, 6);
    Ask ask = blocks.ask(request("", List.of(), "q"), Set.of("r1"));
    assertThat(ask.promptTokens()).isEqualTo(212);
    assertThat(ask.outputTokens()).isEqualTo(7);
    assertThat(ask.tenant()).contains("acme");
    assertThat(ask.excluded()).containsExactly("r1");
  }

  @Test
  void anEmptyPromptHasABlockToo() {
    InferenceRequest empty =
        request("", List.of(), "")
            .prompt(new Prompt("", List.of(), List.of(new ChatMessage.User(""))));
    assertThat(PromptBlocks.of(empty, 16).chain()).hasSize(1);
  }
}
