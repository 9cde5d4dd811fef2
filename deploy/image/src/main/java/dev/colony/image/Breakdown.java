package dev.colony.image;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * What takes how much of an image.
 *
 * @param layers from the lowest
 * @param tarBytes of the whole tarball
 */
record Breakdown(List<Part> layers, long tarBytes) {

  Breakdown {
    layers = List.copyOf(layers);
  }

  /**
   * A layer.
   *
   * @param unpackedBytes -1 of a base whose files are not here
   */
  record Part(String title, long packedBytes, long unpackedBytes) {}

  static Breakdown of(ImageRoot root, Path tar) throws IOException {
    OciTarball image = OciTarball.read(tar);
    List<OciTarball.Blob> blobs = image.layers();
    int base = blobs.size() - Layer.values().length;
    List<Part> parts = new ArrayList<>();
    for (int i = 0; i < base; i++) {
      parts.add(new Part("the base", blobs.get(i).sizeBytes(), -1));
    }
    for (Layer layer : Layer.values()) {
      parts.add(
          new Part(
              layer.title(), blobs.get(base + layer.ordinal()).sizeBytes(), root.sizeBytes(layer)));
    }
    return new Breakdown(parts, Files.size(tar));
  }

  /** A line for each layer, and one for the sum. */
  String text() {
    StringBuilder text = new StringBuilder();
    for (Part part : layers) {
      text.append(line(part.title(), part.packedBytes(), part.unpackedBytes()));
    }
    long unpacked = layers.stream().mapToLong(part -> Math.max(0, part.unpackedBytes())).sum();
    return text.append(line("the tarball", tarBytes, unpacked)).toString().stripTrailing();
  }

  private static String line(String title, long packed, long unpacked) {
    String whole =
        unpacked < 0 ? "" : String.format(Locale.ROOT, ", %.1f MB unpacked", mega(unpacked));
    return String.format(Locale.ROOT, "%-24s %6.1f MB%s%n", title, mega(packed), whole);
  }

  private static double mega(long bytes) {
    return bytes / 1e6;
  }
}
