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
    kept = size(redis);
  }

  @Override
  public void lose() {
    if (size(redis) <= kept) {
      throw new IllegalStateException("nothing was written that could be lost");
    }
    redis.kill();
    cut(redis, kept);
    redis.ensure();
  }

  /** How long the file of a server is, in bytes. */
  static long size(TestRedis redis) {
    try {
      return Files.size(file(redis));
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  /** Cuts the file of a server that does not run. */
  static void cut(TestRedis redis, long size) {
    try (FileChannel file = FileChannel.open(file(redis), StandardOpenOption.WRITE)) {
      file.truncate(size);
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  /** One file up to Redis 6; since 7 a folder, where the newest commands are in one part. */
  static Path file(TestRedis redis) throws IOException {
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
