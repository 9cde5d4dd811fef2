// nothing of ours and no library: what decides is plain Java
dependencies {
}
