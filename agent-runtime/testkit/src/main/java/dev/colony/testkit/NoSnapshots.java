package dev.colony.testkit;

import java.util.Optional;
import org.apache.pekko.persistence.SelectedSnapshot;
import org.apache.pekko.persistence.SnapshotMetadata;
import org.apache.pekko.persistence.SnapshotSelectionCriteria;
import org.apache.pekko.persistence.snapshot.japi.SnapshotStore;
import scala.concurrent.Future;

/** Takes each snapshot and keeps none, so that a recovery reads the whole journal. */
public final class NoSnapshots extends SnapshotStore {

  @Override
  public Future<Optional<SelectedSnapshot>> doLoadAsync(
      String persistenceId, SnapshotSelectionCriteria criteria) {
    return Future.successful(Optional.empty());
  }

  @Override
  public Future<Void> doSaveAsync(SnapshotMetadata metadata, Object snapshot) {
    return Future.successful(null);
  }

  @Override
  public Future<Void> doDeleteAsync(SnapshotMetadata metadata) {
    return Future.successful(null);
  }

  @Override
  public Future<Void> doDeleteAsync(String persistenceId, SnapshotSelectionCriteria criteria) {
    return Future.successful(null);
  }
}
