package dev.colony.code;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.IntNode;
import java.util.Optional;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a model's text says. */
class CodeReplyTest {

  private static CodeReply read(String text) {
    return CodeReply.read(text);
  }

  private static CodeReply run(String source) {
    return new CodeReply.Run(source, Optional.empty());
  }

  @Test
  void aCellStandsBetweenFences() {
    assertThat(read("Here:\n```js\nprint(1)\n```\nDone.")).isEqualTo(run("print(1)"));
    assertThat(read("```\nprint(1)\n```")).isEqualTo(run("print(1)"));
    assertThat(read("```JavaScript \r\nlet a\r\nlet b\r\n```")).isEqualTo(run("let a\r\nlet b"));
    assertThat(read("```js\na\n```\nand\n```js\nb\n```")).isEqualTo(run("a\nb"));
    assertThat(read("{\"code\": \"print(1)\"}")).isEqualTo(run("print(1)"));
  }

  @Test
  void endsAreJson() {
    assertThat(read(" {\"end\": \"complete\", \"result\": 3} "))
        .isEqualTo(new CodeReply.Complete(IntNode.valueOf(3)));
    assertThat(read("```json\n{\"end\": \"idle\"}\n```")).isEqualTo(new CodeReply.Idle());
    assertThat(read("{\"end\": \"fail\", \"reason\": \"a\\nb\"}"))
        .isEqualTo(new CodeReply.GiveUp("a b"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "I do not know.",
        "```js\n \n```",
        "```js\nprint(1)",
        "{\"end\": \"complete\"}",
        "{\"end\": \"dance\"}",
        "{\"end\": ",
        "[]",
      })
  void whatIsNeitherIsToldTheModel(String text) {
    assertThat(read(text)).isInstanceOf(CodeReply.Unusable.class);
  }

  @Test
  void cellsAreBounded() {
    assertThat(read("```js\n" + "x".repeat(20_001) + "\n```"))
        .isEqualTo(
            new CodeReply.Unusable(
                "it has 20001 characters, and a cell has 20000 at most: write shorter ones"));
    assertThat(read("```js\n".repeat(1_000_000))).isInstanceOf(CodeReply.Unusable.class);
  }

  @Property(tries = 300)
  void itReadsWhateverComes(@ForAll String text, @ForAll boolean fenced) {
    assertThat(read(fenced ? "```js\n" + text + "\n```" : text)).isNotNull();
  }
}
