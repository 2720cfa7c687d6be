// Fields of the volumes of pods; the form is in schema_text.h.

#include "apiserver/schema/schema_text.h"

namespace capstan::testing::server {

const std::string_view kVolumesTypes = R"(
type AWSElasticBlockStoreVolumeSource
  fsType     string  omit
  partition  int32   omit
  readOnly   bool    omit
  volumeID   string  required always

type AzureDiskVolumeSource
  cachingMode  string  default="ReadWrite"
  diskName     string  required always
  diskURI      string  required always
  fsType       string  default="ext4"
  kind         string  default="Shared"
  readOnly     bool    default=false

type AzureFileVolumeSource
  readOnly    bool    omit
  secretName  string  required always
  shareName   string  required always

type CSIVolumeSource
  driver                string                required always
  fsType                string
  nodePublishSecretRef  LocalObjectReference
  readOnly              bool
  volumeAttributes      map[string]string     omit

type CephFSVolumeSource
  monitors    []string              required null
  path        string                omit
  readOnly    bool                  omit
  secretFile  string                omit
  secretRef   LocalObjectReference
  user        string                omit

type CinderVolumeSource
  fsType     string                omit
  readOnly   bool                  omit
  secretRef  LocalObjectReference
  volumeID   string                required always

type ClusterTrustBundleProjection
  labelSelector  LabelSelector
  name           string
  optional       bool
  path           string         required always
  signerName     string

type ConfigMapProjection
  items     []KeyToPath  omit
  name      string       omit
  optional  bool

type ConfigMapVolumeSource
  defaultMode  int32        default=420
  items        []KeyToPath  omit
  name         string       omit
  optional     bool

type DownwardAPIProjection
  items  []DownwardAPIVolumeFile  omit

type DownwardAPIVolumeFile
  fieldRef          ObjectFieldSelector
  mode              int32
  path              string                 required always
  resourceFieldRef  ResourceFieldSelector

type DownwardAPIVolumeSource
  defaultMode  int32                    default=420
  items        []DownwardAPIVolumeFile  omit

type EmptyDirVolumeSource
  medium     string    omit
  sizeLimit  quantity

type EphemeralVolumeSource
  volumeClaimTemplate  PersistentVolumeClaimTemplate

type FCVolumeSource
  fsType      string    omit
  lun         int32
  readOnly    bool      omit
  targetWWNs  []string  omit
  wwids       []string  omit

type FlexVolumeSource
  driver     string                required always
  fsType     string                omit
  options    map[string]string     omit
  readOnly   bool                  omit
  secretRef  LocalObjectReference

type FlockerVolumeSource
  datasetName  string  omit
  datasetUUID  string  omit

type GCEPersistentDiskVolumeSource
  fsType     string  omit
  partition  int32   omit
  pdName     string  required always
  readOnly   bool    omit

type GitRepoVolumeSource
  directory   string  omit
  repository  string  required always
  revision    string  omit

type GlusterfsVolumeSource
  endpoints  string  required always
  path       string  required always
  readOnly   bool    omit

type HostPathVolumeSource
  path  string  required always
  type  string  default=""

type ISCSIVolumeSource
  chapAuthDiscovery  bool                  omit
  chapAuthSession    bool                  omit
  fsType             string                omit
  initiatorName      string
  iqn                string                required always
  iscsiInterface     string                omit default="default"
  lun                int32                 required always
  portals            []string              omit
  readOnly           bool                  omit
  secretRef          LocalObjectReference
  targetPortal       string                required always

type ImageVolumeSource
  pullPolicy  string  omit
  reference   string  omit

type KeyToPath
  key   string  required always
  mode  int32
  path  string  required always

type NFSVolumeSource
  path      string  required always
  readOnly  bool    omit
  server    string  required always

type PersistentVolumeClaimSpec
  accessModes                []string                    omit
  dataSource                 TypedLocalObjectReference
  dataSourceRef              TypedObjectReference
  resources                  VolumeResourceRequirements  always
  selector                   LabelSelector
  storageClassName           string
  volumeAttributesClassName  string
  volumeMode                 string                      default="Filesystem"
  volumeName                 string                      omit

type PersistentVolumeClaimTemplate
  metadata  ObjectMeta                 always
  spec      PersistentVolumeClaimSpec  required always

type PersistentVolumeClaimVolumeSource
  claimName  string  required always
  readOnly   bool    omit

type PhotonPersistentDiskVolumeSource
  fsType  string  omit
  pdID    string  required always

type PodCertificateProjection
  certificateChainPath  string             omit
  credentialBundlePath  string             omit
  keyPath               string             omit
  keyType               string             required omit
  maxExpirationSeconds  int32
  signerName            string             required omit
  userAnnotations       map[string]string  omit

type PortworxVolumeSource
  fsType    string  omit
  readOnly  bool    omit
  volumeID  string  required always

type ProjectedVolumeSource
  defaultMode  int32               default=420
  sources      []VolumeProjection  null

type QuobyteVolumeSource
  group     string  omit
  readOnly  bool    omit
  registry  string  required always
  tenant    string  omit
  user      string  omit
  volume    string  required always

type RBDVolumeSource
  fsType     string                omit
  image      string                required always
  keyring    string                omit default="/etc/ceph/keyring"
  monitors   []string              required null
  pool       string                omit default="rbd"
  readOnly   bool                  omit
  secretRef  LocalObjectReference
  user       string                omit default="admin"

type ScaleIOVolumeSource
  fsType            string                omit default="xfs"
  gateway           string                required always
  protectionDomain  string                omit
  readOnly          bool                  omit
  secretRef         LocalObjectReference  required null
  sslEnabled        bool                  omit
  storageMode       string                omit default="ThinProvisioned"
  storagePool       string                omit
  system            string                required always
  volumeName        string                omit

type SecretProjection
  items     []KeyToPath  omit
  name      string       omit
  optional  bool

type SecretVolumeSource
  defaultMode  int32        default=420
  items        []KeyToPath  omit
  optional     bool
  secretName   string       omit

type ServiceAccountTokenProjection
  audience           string  omit
  expirationSeconds  int64   default=3600
  path               string  required always

type StorageOSVolumeSource
  fsType           string                omit
  readOnly         bool                  omit
  secretRef        LocalObjectReference
  volumeName       string                omit
  volumeNamespace  string                omit

type TypedLocalObjectReference atomic
  apiGroup  string  null
  kind      string  required always
  name      string  required always

type TypedObjectReference
  apiGroup   string  null
  kind       string  required always
  name       string  required always
  namespace  string

type Volume # Something that the containers of a pod can mount. Exactly one source must be set.
  awsElasticBlockStore   AWSElasticBlockStoreVolumeSource
  azureDisk              AzureDiskVolumeSource
  azureFile              AzureFileVolumeSource
  cephfs                 CephFSVolumeSource
  cinder                 CinderVolumeSource
  configMap              ConfigMapVolumeSource # The keys of a ConfigMap, as files.
  csi                    CSIVolumeSource # A volume of a CSI driver.
  downwardAPI            DownwardAPIVolumeSource # Fields of the pod, as files.
  emptyDir               EmptyDirVolumeSource # An empty directory that lives as long as the pod.
  ephemeral              EphemeralVolumeSource # A claim that is made for the pod and goes with it.
  fc                     FCVolumeSource
  flexVolume             FlexVolumeSource
  flocker                FlockerVolumeSource
  gcePersistentDisk      GCEPersistentDiskVolumeSource
  gitRepo                GitRepoVolumeSource
  glusterfs              GlusterfsVolumeSource
  hostPath               HostPathVolumeSource # A file or directory of the node.
  image                  ImageVolumeSource # The content of a container image.
  iscsi                  ISCSIVolumeSource
  name                   string                             required always # The name that containers mount it by, unique in the pod.
  nfs                    NFSVolumeSource # A directory of an NFS server.
  persistentVolumeClaim  PersistentVolumeClaimVolumeSource # What a claim has been given.
  photonPersistentDisk   PhotonPersistentDiskVolumeSource
  portworxVolume         PortworxVolumeSource
  projected              ProjectedVolumeSource # Several sources in one directory.
  quobyte                QuobyteVolumeSource
  rbd                    RBDVolumeSource
  scaleIO                ScaleIOVolumeSource
  secret                 SecretVolumeSource # The keys of a Secret, as files.
  storageos              StorageOSVolumeSource
  vsphereVolume          VsphereVirtualDiskVolumeSource

type VolumeProjection
  clusterTrustBundle   ClusterTrustBundleProjection
  configMap            ConfigMapProjection
  downwardAPI          DownwardAPIProjection
  podCertificate       PodCertificateProjection
  secret               SecretProjection
  serviceAccountToken  ServiceAccountTokenProjection

type VolumeResourceRequirements
  limits    map[string]quantity  omit
  requests  map[string]quantity  omit

type VsphereVirtualDiskVolumeSource
  fsType             string  omit
  storagePolicyID    string  omit
  storagePolicyName  string  omit
  volumePath         string  required always
)";

}  // namespace capstan::testing::server
