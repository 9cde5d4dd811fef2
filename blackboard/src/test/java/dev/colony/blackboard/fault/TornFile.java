package dev.colony.blackboard.fault;

import dev.colony.blackboard.redis.RedisDoor;
import dev.colony.blackboard.server.TestRedis;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.stream.Stream;

/**
 * A machine that crashes before the end of the append-only file is on its disk: the server is
 * killed and the end is cut off. The server itself writes with {@code appendfsync always}, because
 * then the file is known to hold exactly what was acknowledged; the cut does to it what the crash
 * of the machine does with {@code everysec} or {@code no}.
 */
final class TornFile implements LostTail {

  private final TestRedis redis = TestRedis.start();
  private final RedisDoor door = door(redis);
  private long kept;

  static RedisDoor door(TestRedis redis) {
    try {
      return new RedisDoor(redis.port());
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  @Override
  public RedisDoor door() {
    return door;
  }

  @Override
  public void keepUntilHere() {
    try {
      kept = Files.size(file());
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  @Override
  public void lose() {
    redis.kill();
    try (FileChannel file = FileChannel.open(file(), StandardOpenOption.WRITE)) {
      if (file.size() <= kept) {
        throw new IllegalStateException("nothing was written that could be lost");
      }
      file.truncate(kept);
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
    redis.ensure();
  }

  /** One file up to Redis 6; since 7 a folder, where the newest commands are in one part. */
  private Path file() throws IOException {
    Path directory = redis.server().directory();
    try (Stream<Path> files = Files.walk(directory)) {
      return files
          .filter(
              file -> file.getFileName().toString().matches("appendonly\\.aof(.*\\.incr\\.aof)?"))
          .filter(Files::isRegularFile)
          .findFirst()
          .orElseThrow();
    }
  }

  @Override
  public void close() {
    door.close();
    redis.close();
  }
}
