package dev.colony.image;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every library that ships is on the bill of materials, and under a licence that lets it. */
class ThirdPartiesTest {

  @TempDir private Path folder;

  @Test
  void whatShipsMayShip() throws IOException {
    assertThat(read(Project.bom()).problems()).isEmpty();
  }

  @Test
  void whatShipsIsOnTheList() throws IOException {
    assertThat(
            read(Project.bom()).libraries().stream()
                .map(library -> library.name() + "-" + library.version() + ".jar")
                .collect(Collectors.toSet()))
        .isEqualTo(
            Project.libraries().stream()
                .map(jar -> jar.getFileName().toString())
                .collect(Collectors.toSet()));
  }

  @Test
  void theListHasTheTextsAndNotices() throws IOException {
    assertThat(read(Project.bom()).text())
        .contains("org.apache.lucene:lucene-core ", ": Apache-2.0", "TERMS AND CONDITIONS FOR USE")
        .contains("org.jline:jline-terminal 3", "Copyright (c) 2002-2015, the original author")
        .contains("Permission is hereby granted, free of charge")
        .contains("Copyright (c) 2006-2020, Salvatore Sanfilippo")
        .doesNotContain("dev.colony:", "BSD-4-Clause", "GNU LESSER");
  }

  @Test
  void aLicenceThatIsNotKnownToGoWithOursIsRefused() throws IOException {
    Path bom = changed("picocli", "AGPL-3.0-only");
    assertThat(read(bom).problems())
        .singleElement()
        .asString()
        .contains("info.picocli:picocli", "AGPL-3.0-only");
  }

  @Test
  void aLibraryWithoutALicenceIsRefused() throws IOException {
    assertThat(read(changed("picocli", null)).problems())
        .singleElement()
        .asString()
        .contains("info.picocli:picocli: no licence");
  }

  @Test
  void aCopyrightThatTheLicenceAsksForIsMissed() throws IOException {
    assertThat(read(changed("picocli", "MIT")).problems())
        .singleElement()
        .asString()
        .contains("info.picocli:picocli: MIT asks for its copyright");
  }

  private static ThirdParties read(Path bom) throws IOException {
    return ThirdParties.read(bom, Project.root().resolve("deploy/image/legal"));
  }

  /** The bill of materials with one library under another licence, or under none. */
  private Path changed(String name, String licence) throws IOException {
    ObjectMapper json = new ObjectMapper();
    JsonNode bom = json.readTree(Files.readString(Project.bom()));
    for (JsonNode component : bom.get("components")) {
      if (component.path("name").asText().equals(name)) {
        ((ObjectNode) component).remove("licenses");
        if (licence != null) {
          ((ObjectNode) component)
              .putArray("licenses")
              .addObject()
              .putObject("license")
              .put("id", licence);
        }
      }
    }
    return Files.writeString(folder.resolve("bom.json"), json.writeValueAsString(bom));
  }
}
