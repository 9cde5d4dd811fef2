package dev.colony.image;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The Dockerfile makes the same image as the builder. */
class DockerfileTest {

  private static final Pattern LABEL = Pattern.compile("([\\w.]+)=\"([^\"]*)\"");

  /** The last stage, with continued lines joined. */
  private final String image;

  DockerfileTest() throws IOException {
    String file = Files.readString(Project.root().resolve("deploy/image/Dockerfile"));
    image = file.substring(file.lastIndexOf("\nFROM ")).replace("\\\n", " ");
  }

  @Test
  void theEntryPointAndTheUserAreTheSame() throws IOException {
    assertThat(new JsonMapper().readValue(argument("ENTRYPOINT"), String[].class))
        .containsExactlyElementsOf(Contents.ENTRY_POINT);
    assertThat(argument("USER")).isEqualTo(Contents.USER);
    assertThat(argument("WORKDIR")).isEqualTo("/tmp");
  }

  @Test
  void theLayersAreTheSameInTheSameOrder() {
    assertThat(arguments("COPY"))
        .containsExactlyElementsOf(
            Arrays.stream(Layer.values())
                .map(layer -> "--from=build /image%1$s %1$s".formatted(layer.folder()))
                .toList());
  }

  @Test
  void theLabelsAndPortsAreTheSame() {
    Map<String, String> labels =
        LABEL
            .matcher(argument("LABEL"))
            .results()
            .collect(Collectors.toMap(label -> label.group(1), label -> label.group(2)));
    assertThat(labels.remove("org.opencontainers.image.version")).isEqualTo("${VERSION}");
    assertThat(labels).isEqualTo(Contents.LABELS);
    assertThat(argument("EXPOSE").split(" "))
        .containsExactlyElementsOf(Contents.PORTS.stream().map(port -> port + "/tcp").toList());
  }

  private String argument(String instruction) {
    assertThat(arguments(instruction)).as(instruction).hasSize(1);
    return arguments(instruction).getFirst();
  }

  private List<String> arguments(String instruction) {
    return Pattern.compile("(?m)^" + instruction + " +(.+?) *$")
        .matcher(image)
        .results()
        .map((MatchResult found) -> found.group(1))
        .toList();
  }
}
