package dev.colony.blackboard.fault;

import static org.awaitility.Awaitility.await;

import dev.colony.blackboard.redis.RedisDoor;
import dev.colony.blackboard.server.RedisShell;
import dev.colony.blackboard.server.TestRedis;

/**
 * A failover to a replica that had not got the master's last writes, because its link was cut; the
 * clients are led to the replica then.
 */
final class PromotedReplica implements LostTail {

  private final TestRedis master = TestRedis.start();
  private final TestRedis replica = TestRedis.start();
  private final RedisDoor door = TornFile.door(master);
  private final RedisDoor link = TornFile.door(master);

  PromotedReplica() {
    // A master waits five seconds for other replicas, by default, before it sends its data to one.
    atMaster("CONFIG SET repl-diskless-sync-delay 0");
    atReplica("REPLICAOF 127.0.0.1 " + link.port());
    awaitInStep();
  }

  void awaitReplica() {
    new RedisShell(master.port()).awaitReplica();
  }

  String atMaster(String command) {
    return new RedisShell(master.port()).command(command);
  }

  private String atReplica(String command) {
    return new RedisShell(replica.port()).command(command);
  }

  private void awaitInStep() {
    await("the replica is in step")
        .atMost(Fault.PATIENCE)
        .until(() ->
            atReplica("INFO replication").contains("master_link_status:up")
                && offset(atReplica("INFO replication"), "slave_repl_offset")
                    >= offset(atMaster("INFO replication"), "master_repl_offset"));
  }

  private static long offset(String info, String name) {
    return info.lines()
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
    awaitInStep();
    cut();
  }

  /** The master's writes reach the replica no more. */
  void cut() {
    link.slam();
    await("the master has noticed")
        .atMost(Fault.PATIENCE)
        .until(() -> atMaster("INFO replication").contains("connected_slaves:0"));
  }

  @Override
  public void lose() {
    master.kill();
    atReplica("REPLICAOF NO ONE");
    door.leadTo(replica.port());
  }

  @Override
  public void close() {
    link.close();
    door.close();
    replica.close();
    master.close();
  }
}
