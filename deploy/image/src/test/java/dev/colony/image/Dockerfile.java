package dev.colony.image;

import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.regex.Pattern;

/** The last stage of the Dockerfile, which says how the image is run. */
final class Dockerfile {

  private final String image;

  Dockerfile() throws IOException {
    String file = Files.readString(Project.root().resolve("deploy/image/Dockerfile"));
    image = file.substring(file.lastIndexOf("\nFROM ")).replace("\\\n", " ");
  }

  List<String> entryPoint() throws IOException {
    return List.of(new JsonMapper().readValue(argument("ENTRYPOINT"), String[].class));
  }

  /** What the one instruction of this name says. */
  String argument(String instruction) {
    List<String> all = arguments(instruction);
    if (all.size() != 1) {
      throw new AssertionError(instruction + ": " + all);
    }
    return all.getFirst();
  }

  List<String> arguments(String instruction) {
    return Pattern.compile("(?m)^" + instruction + " +(.+?) *$")
        .matcher(image)
        .results()
        .map(found -> found.group(1))
        .toList();
  }
}
