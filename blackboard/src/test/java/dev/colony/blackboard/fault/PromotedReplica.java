package dev.colony.blackboard.fault;

import static org.awaitility.Awaitility.await;

import dev.colony.blackboard.redis.RedisDoor;
import dev.colony.blackboard.server.TestRedis;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import java.util.concurrent.TimeUnit;

/**
 * A failover to a replica that had not got the master's last writes, because its link was cut; the
 * clients are led to the replica then.
 */
final class PromotedReplica implements LostTail {

  private final TestRedis master = TestRedis.start();
  private final TestRedis replica = TestRedis.start();
  private final RedisDoor door = TornFile.door(master);
  private final RedisDoor link = TornFile.door(master);
  private final RedisClient client = RedisClient.create();
  private final RedisCommands<String, String> atMaster = connect(master);
  private final RedisCommands<String, String> atReplica = connect(replica);

  PromotedReplica() {
    atReplica.replicaof("127.0.0.1", link.port());
    await("the replica is in step").atMost(Fault.PATIENCE).until(this::inStep);
  }

  private RedisCommands<String, String> connect(TestRedis redis) {
    StatefulRedisConnection<String, String> connection =
        client.connect(RedisURI.create(redis.uri()));
    return connection.sync();
  }

  RedisCommands<String, String> master() {
    return atMaster;
  }

  private boolean inStep() {
    return atReplica.info("replication").contains("master_link_status:up")
        && offset(atReplica, "slave_repl_offset") >= offset(atMaster, "master_repl_offset");
  }

  private static long offset(RedisCommands<String, String> at, String name) {
    return at.info("replication")
        .lines()
        .filter(line -> line.startsWith(name + ":"))
        .mapToLong(line -> Long.parseLong(line.substring(name.length() + 1).strip()))
        .findFirst()
        .orElseThrow();
  }

  @Override
  public RedisDoor door() {
    return door;
  }

  @Override
  public void keepUntilHere() {
    await("the replica is in step").atMost(Fault.PATIENCE).until(this::inStep);
    cut();
  }

  /** The master's writes reach the replica no more. */
  void cut() {
    link.slam();
    await("the master has noticed")
        .atMost(Fault.PATIENCE)
        .until(() -> atMaster.info("replication").contains("connected_slaves:0"));
  }

  @Override
  public void lose() {
    master.kill();
    atReplica.replicaofNoOne();
    door.leadTo(replica.port());
  }

  @Override
  public void close() {
    client.shutdown(0, 1, TimeUnit.SECONDS);
    link.close();
    door.close();
    replica.close();
    master.close();
  }
}
