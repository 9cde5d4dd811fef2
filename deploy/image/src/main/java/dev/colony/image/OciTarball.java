package dev.colony.image;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.StreamSupport;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;

/**
 * Reads an image in the OCI image layout (image-spec 1.0), a tar file with one manifest.
 *
 * @param config the image's configuration, as the specification has it
 * @param layers from the lowest
 */
record OciTarball(JsonNode config, List<Blob> layers) {

  private static final JsonMapper JSON = new JsonMapper();

  OciTarball {
    layers = List.copyOf(layers);
  }

  /**
   * A packed layer.
   *
   * @param entry its name in the tar file
   */
  record Blob(String entry, String digest, long sizeBytes) {}

  static OciTarball read(Path tar) throws IOException {
    JsonNode index = json(tar, "index.json");
    JsonNode manifest = json(tar, entry(index.path("manifests").path(0)));
    List<Blob> layers = new ArrayList<>();
    for (JsonNode layer : manifest.path("layers")) {
      layers.add(
          new Blob(entry(layer), layer.path("digest").asText(), layer.path("size").asLong()));
    }
    return new OciTarball(json(tar, entry(manifest.path("config"))), layers);
  }

  /** What is started. */
  List<String> entryPoint() {
    return texts(config.at("/config/Entrypoint"));
  }

  /** What was said of each layer when it was made, from the lowest. */
  List<String> history() {
    return StreamSupport.stream(config.path("history").spliterator(), false)
        .filter(step -> !step.path("empty_layer").asBoolean())
        .map(step -> step.path("comment").asText())
        .toList();
  }

  private static List<String> texts(JsonNode array) {
    return StreamSupport.stream(array.spliterator(), false).map(JsonNode::asText).toList();
  }

  private static String entry(JsonNode descriptor) {
    return "blobs/" + descriptor.path("digest").asText().replace(':', '/');
  }

  private static JsonNode json(Path tar, String name) throws IOException {
    try (InputStream file = new BufferedInputStream(Files.newInputStream(tar));
        TarArchiveInputStream in = new TarArchiveInputStream(file)) {
      TarArchiveEntry entry = in.getNextEntry();
      while (entry != null) {
        if (Objects.equals(entry.getName(), name)) {
          return JSON.readTree(in.readAllBytes());
        }
        entry = in.getNextEntry();
      }
    }
    throw new IOException(tar + " is no OCI image: it lacks " + name);
  }
}
