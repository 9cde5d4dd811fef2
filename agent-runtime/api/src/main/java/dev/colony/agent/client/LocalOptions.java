package dev.colony.agent.client;

import dev.colony.inference.InferenceGateway;
import java.net.URI;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;

/**
 * What a {@link Colony#local(LocalOptions) colony in this JVM} is started with. Immutable; the
 * methods named after a component return a changed copy.
 *
 * @param directory where what agents do is kept; empty for a directory that is deleted at the end
 * @param server an OpenAI-compatible model server; empty for that of {@code COLONY_MODEL_URL}, else
 *     for one that is found on this machine
 * @param model answers calls in place of any server; closed by the caller
 */
public record LocalOptions(
    Optional<Path> directory, Optional<URI> server, Optional<InferenceGateway> model) {

  /** In the folder {@code .colony} of the working directory, with a model that is found. */
  public static final LocalOptions USUAL =
      new LocalOptions(Optional.of(Path.of(".colony")), Optional.empty(), Optional.empty());

  public LocalOptions {
    Objects.requireNonNull(directory, "directory");
    Objects.requireNonNull(server, "server");
    Objects.requireNonNull(model, "model");
  }

  /** Keeps nothing: what agents have done is gone when the colony is closed. */
  public static LocalOptions temporary() {
    return new LocalOptions(Optional.empty(), Optional.empty(), Optional.empty());
  }

  public LocalOptions directory(Path folder) {
    return new LocalOptions(Optional.of(folder), server, model);
  }

  /** A server, for example {@code http://localhost:8000/v1}. */
  public LocalOptions model(URI url) {
    return new LocalOptions(directory, Optional.of(url), model);
  }

  public LocalOptions model(InferenceGateway gateway) {
    return new LocalOptions(directory, server, Optional.of(gateway));
  }
}
