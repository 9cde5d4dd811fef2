package dev.colony.inference.provider;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.inference.provider.FoundServer.Kind;
import dev.colony.inference.provider.FoundServer.Model;
import java.net.URI;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FoundServerTest {

  private static final long MEMORY = 16L << 30;
  private static final URI AT = URI.create("http://127.0.0.1:11434");

  /** Of models that are listed, loaded ones with a star in front. */
  @ParameterizedTest
  @CsvSource({
    "a:1b b:7b c:3b, b:7b, the largest that fits into memory",
    "a:1b *b:3b c:7b, b:3b, it is loaded",
    "*a:1b *b:3b, b:3b, it is loaded",
    "a:1b b:70b, a:1b, the largest that fits into memory",
    "b:70b, '', none of its models fits into memory",
    "a:7b-base b:3b-instruct, b:3b-instruct, the largest that fits into memory",
    "a:7b-base, a:7b-base, the largest that fits into memory",
    "x y, x, the largest that fits into memory",
    "nomic-embed-text *bge-m3, '', none of its models answers prompts",
  })
  void ofItsModelsOneIsTaken(String listed, String taken, String why) {
    List<Model> models = Stream.of(listed.split(" ")).map(FoundServerTest::model).toList();
    FoundServer found = FoundServer.of(AT, Kind.OLLAMA, models, Optional.empty(), MEMORY);
    assertThat(found.chosen().map(Model::id).orElse("")).isEqualTo(taken);
    assertThat(found.why()).isEqualTo(why);
  }

  @Test
  void aModelThatIsNamedIsTakenOrNone() {
    List<Model> models = List.of(model("*a:1b"), model("b:latest"));
    assertThat(
            FoundServer.of(AT, Kind.OLLAMA, models, Optional.of("b"), MEMORY)
                .chosen()
                .map(Model::id))
        .contains("b:latest");
    FoundServer without = FoundServer.of(AT, Kind.OLLAMA, models, Optional.of("c"), MEMORY);
    assertThat(without.chosen()).isEmpty();
    assertThat(without.why()).isEqualTo("it has no c");
  }

  @Test
  void ofServersTheFirstWithALoadedModelIsTaken() {
    FoundServer idle = server(11434, "a:7b");
    FoundServer none = server(1234, "nomic-embed-text");
    FoundServer busy = server(8080, "*b:1b");
    assertThat(FoundServer.best(List.of(none, idle, busy))).contains(busy);
    assertThat(FoundServer.best(List.of(none, idle))).contains(idle);
    assertThat(FoundServer.best(List.of(none))).isEmpty();
    assertThat(idle.place()).isEqualTo("localhost:11434");
  }

  private static FoundServer server(int port, String model) {
    return FoundServer.of(
        URI.create("http://127.0.0.1:" + port),
        Kind.OLLAMA,
        List.of(model(model)),
        Optional.empty(),
        MEMORY);
  }

  private static Model model(String text) {
    String id = text.replace("*", "");
    return new Model(
        id,
        OptionalLong.empty(),
        OptionalLong.empty(),
        OptionalLong.empty(),
        text.startsWith("*"),
        ServedModel.named(id).chats(),
        false,
        Optional.empty());
  }
}
