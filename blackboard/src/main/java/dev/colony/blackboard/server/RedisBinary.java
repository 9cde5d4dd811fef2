package dev.colony.blackboard.server;

import dev.colony.blackboard.BlackboardException;
import dev.colony.blackboard.BlackboardException.Reason;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import redis.embedded.core.ExecutableProvider;
import redis.embedded.model.OsArchitecture;

/**
 * A redis-server executable.
 *
 * @param major the first number of its version
 */
record RedisBinary(Path path, int major) {

  /** The carried server is a 6.2: only a newer series is worth preferring to it. */
  private static final int CARRIED_MAJOR = 6;

  private static final Pattern VERSION = Pattern.compile("v=(\\d+)\\.\\d+");

  /** The one on the PATH where it is newer, otherwise the carried one, unpacked once. */
  static RedisBinary choose(ServerSettings settings) {
    return (settings.carried() ? Optional.<RedisBinary>empty() : onPath())
        .filter(binary -> binary.major() > CARRIED_MAJOR)
        .orElseGet(() -> new RedisBinary(unpack(settings.directory()), CARRIED_MAJOR));
  }

  private static Optional<RedisBinary> onPath() {
    String path = Optional.ofNullable(System.getenv("PATH")).orElse("");
    for (String folder : path.split(Pattern.quote(File.pathSeparator))) {
      if (!folder.isEmpty()) {
        Path candidate = Path.of(folder, "redis-server");
        if (Files.isExecutable(candidate)) {
          return major(candidate).map(major -> new RedisBinary(candidate, major));
        }
      }
    }
    return Optional.empty();
  }

  private static Optional<Integer> major(Path binary) {
    try {
      Process process =
          new ProcessBuilder(binary.toString(), "--version").redirectErrorStream(true).start();
      process.getOutputStream().close();
      if (!process.waitFor(5, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        return Optional.empty();
      }
      String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      Matcher version = VERSION.matcher(said);
      return version.find() ? Optional.of(Integer.valueOf(version.group(1))) : Optional.empty();
    } catch (IOException doesNotRun) {
      return Optional.empty();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new BlackboardException(
          Reason.INTERRUPTED, "interrupted while starting Redis", interrupted);
    }
  }

  private static Path unpack(Path directory) {
    String resource =
        ExecutableProvider.newProvidedVersionsMap().get(OsArchitecture.detectOSandArchitecture());
    if (resource == null) {
      throw new BlackboardException(
          Reason.SERVER,
          "no Redis server is carried for this system; put a redis-server 7 or newer on the PATH");
    }
    Path binary = directory.resolve(resource.substring(resource.lastIndexOf('/') + 1));
    if (Files.isExecutable(binary)) {
      return binary;
    }
    Path partial = directory.resolve(binary.getFileName() + ".partial");
    try (InputStream in = ExecutableProvider.class.getResourceAsStream(resource)) {
      if (in == null) {
        throw new IllegalStateException("the carried Redis server is missing: " + resource);
      }
      Files.copy(in, partial, StandardCopyOption.REPLACE_EXISTING);
      if (!partial.toFile().setExecutable(true)) {
        throw new IOException("cannot be made executable");
      }
      // A name that is there is a whole file, however the unpacking ended.
      return Files.move(partial, binary, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException failure) {
      throw new BlackboardException(
          Reason.SERVER,
          "cannot unpack the Redis server into " + directory + ": " + failure.getMessage(),
          failure);
    }
  }
}
