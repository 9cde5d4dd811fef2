package dev.colony.image;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * What a copy of the product must carry: its licence and notice, the bill of materials, and the
 * list of third parties that is made of it.
 *
 * @param sources the folder of LICENSE and NOTICE
 * @param bom what a build wrote
 */
record Legal(Path sources, Path bom) {

  /**
   * Checks that all is there, and that every library may ship.
   *
   * @throws ImageFailure if not; naming each library that may not
   */
  static Legal of(Path sources, Path bom) throws IOException {
    for (Path file : List.of(sources.resolve("LICENSE"), sources.resolve("NOTICE"), bom)) {
      if (!Files.isReadable(file)) {
        throw ImageFailure.badInput(file + " is not there: build with Maven from the sources");
      }
    }
    List<String> problems = ThirdParties.read(bom).problems();
    if (!problems.isEmpty()) {
      throw ImageFailure.badInput(String.join("; ", problems));
    }
    return new Legal(sources, bom);
  }

  /** Puts the files into the root of an image. */
  void layOut(Path root) throws IOException {
    Path folder = Files.createDirectories(root.resolve(Contents.LEGAL.substring(1)));
    for (String own : List.of("LICENSE", "NOTICE")) {
      Files.copy(sources.resolve(own), folder.resolve(own));
    }
    Files.copy(bom, folder.resolve("bom.json"));
    Files.writeString(folder.resolve("THIRD-PARTY.txt"), ThirdParties.read(bom).text());
  }
}
